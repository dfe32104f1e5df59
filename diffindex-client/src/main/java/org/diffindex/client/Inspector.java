package org.diffindex.client;

import com.google.protobuf.BlockingRpcChannel;
import com.google.protobuf.ServiceException;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.ServerSetting;
import org.diffindex.protocol.DiffIndexProtos.ColumnTypeAnswer;
import org.diffindex.protocol.DiffIndexProtos.InspectRequest;
import org.diffindex.protocol.DiffIndexProtos.InspectResponse;
import org.diffindex.protocol.DiffIndexProtos.InspectionService;

/**
 * Asks HBase servers for their versions and settings, through the coprocessors of Diff-Index that they have loaded.
 * Each call fails with an IOException if no coprocessor of Diff-Index answers. Safe for use by many threads.
 */
public final class Inspector implements Closeable {
    private final Connection connection;
    private final Admin admin;

    /** Creates an inspector that uses a connection, which it does not close. */
    public Inspector(Connection connection) throws IOException {
        this.connection = connection;
        this.admin = connection.getAdmin();
    }

    /** Inspects the active master, which answers if it has loaded {@code IndexMasterObserver}. */
    public ServerInspection master() throws IOException {
        return ask(admin.coprocessorService());
    }

    /** Inspects a region server, which answers if it has loaded {@code IndexServerEndpoint}. */
    public ServerInspection regionServer(ServerName server) throws IOException {
        return ask(admin.coprocessorService(server));
    }

    /** Inspects the region of a base or index table that holds the row; it answers if it has loaded its coprocessor. */
    public ServerInspection region(TableName table, byte[] row) throws IOException {
        try (Table regions = connection.getTable(table)) {
            return ask(regions.coprocessorService(row));
        }
    }

    /**
     * Asks a region server which of the given column types it cannot load.
     *
     * @param columnTypes their expressions, at most 100
     * @return the errors, by expression
     */
    Map<String, String> unloadable(ServerName server, Collection<String> columnTypes) throws IOException {
        InspectRequest request =
                InspectRequest.newBuilder().addAllColumnTypes(columnTypes).build();
        InspectResponse response = call(admin.coprocessorService(server), request);
        if (response.getColumnTypesCount() != columnTypes.size()) {
            throw new IOException("it runs an older version of Diff-Index, " + response.getVersion());
        }
        return response.getColumnTypesList().stream()
                .filter(ColumnTypeAnswer::hasError)
                .collect(Collectors.toMap(ColumnTypeAnswer::getColumnType, ColumnTypeAnswer::getError));
    }

    private static InspectResponse call(BlockingRpcChannel channel, InspectRequest request) throws IOException {
        try {
            return InspectionService.newBlockingStub(channel).inspect(null, request);
        } catch (ServiceException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getMessage(), e);
        }
    }

    private static ServerInspection ask(BlockingRpcChannel channel) throws IOException {
        long start = System.nanoTime();
        long before = System.currentTimeMillis();
        InspectResponse response = call(channel, InspectRequest.getDefaultInstance());
        Duration half = Duration.ofNanos(System.nanoTime() - start).dividedBy(2);
        return inspection(
                response, Duration.ofMillis(response.getClockMs() - before).minus(half), half);
    }

    static ServerInspection inspection(InspectResponse response, Duration clockAhead, Duration clockError) {
        Map<String, String> told = new HashMap<>();
        response.getSettingsList().stream()
                .filter(setting -> setting.hasValue())
                .forEach(setting -> told.put(setting.getName(), setting.getValue()));
        Map<ServerSetting, String> settings = new EnumMap<>(ServerSetting.class);
        for (ServerSetting setting : ServerSetting.values()) {
            if (told.containsKey(setting.key())) {
                settings.put(setting, told.get(setting.key()));
            }
        }
        return new ServerInspection(
                response.getServer(),
                response.getVersion(),
                response.hasJarDigest() ? Optional.of(response.getJarDigest()) : Optional.empty(),
                response.getHbaseVersion(),
                response.getJavaVersion(),
                settings,
                response.getUrgentIndexWrites(),
                Set.copyOf(response.getIndexesList()),
                response.hasProblem() ? Optional.of(response.getProblem()) : Optional.empty(),
                response.getLatestFormat(),
                clockAhead,
                clockError);
    }

    /** Releases the resources of this inspector; the connection stays open. */
    @Override
    public void close() throws IOException {
        admin.close();
    }
}
