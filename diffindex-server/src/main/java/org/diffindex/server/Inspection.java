package org.diffindex.server;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.ipc.RpcControllerFactory;
import org.apache.hadoop.hbase.util.VersionInfo;
import org.diffindex.model.ColumnType;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.DiffIndexVersion;
import org.diffindex.model.ServerSetting;
import org.diffindex.protocol.DiffIndexProtos.ColumnTypeAnswer;
import org.diffindex.protocol.DiffIndexProtos.InspectRequest;
import org.diffindex.protocol.DiffIndexProtos.InspectResponse;
import org.diffindex.protocol.DiffIndexProtos.Setting;
import org.diffindex.server.deliver.UrgentControllerFactory;

/** A server's report of its version and configuration. Immutable. */
final class Inspection {
    private final ServerName server;
    private final Configuration conf;
    /** The maximum number of column types in a request. */
    private static final int MAX_COLUMN_TYPES = 100;

    private final List<String> indexes;
    private final Optional<String> problem;

    /**
     * Creates the report of a server.
     *
     * @param conf the server's configuration
     * @param indexes the names of the indexes of the region whose coprocessor answers
     */
    Inspection(ServerName server, Configuration conf, Collection<String> indexes) {
        this(server, conf, indexes, Optional.empty());
    }

    /**
     * Creates the report of a server, made by a region.
     *
     * @param problem why the region cannot load its indexes; empty if it can
     */
    Inspection(ServerName server, Configuration conf, Collection<String> indexes, Optional<String> problem) {
        this.server = server;
        this.conf = conf;
        this.indexes = indexes.stream().sorted().toList();
        this.problem = problem;
    }

    InspectResponse response(InspectRequest request, long clockMs) {
        InspectResponse.Builder response = InspectResponse.newBuilder()
                .setServer(server.toString())
                .setVersion(DiffIndexVersion.current())
                .setHbaseVersion(VersionInfo.getVersion())
                .setJavaVersion(Runtime.version().toString())
                .setClockMs(clockMs)
                .setUrgentIndexWrites(writesUrgently())
                .addAllIndexes(indexes);
        problem.ifPresent(response::setProblem);
        request.getColumnTypesList().stream()
                .limit(MAX_COLUMN_TYPES)
                .map(Inspection::answer)
                .forEach(response::addColumnTypes);
        JarDigest.ofThisJar().ifPresent(response::setJarDigest);
        for (ServerSetting setting : ServerSetting.values()) {
            response.addSettings(told(setting));
        }
        return response.build();
    }

    /** Returns whether this server can load a column type. */
    private static ColumnTypeAnswer answer(String columnType) {
        ColumnTypeAnswer.Builder answer = ColumnTypeAnswer.newBuilder().setColumnType(columnType);
        try {
            ColumnType unused = ColumnTypes.parse(columnType);
        } catch (RuntimeException | LinkageError e) {
            answer.setError(String.valueOf(e.getMessage()));
        }
        return answer.build();
    }

    private Setting told(ServerSetting setting) {
        Setting.Builder told = Setting.newBuilder().setName(setting.key());
        String value = conf.get(setting.key());
        return (value == null ? told : told.setValue(value)).build();
    }

    /**
     * Returns whether HBase's client can load the class that gives index writes high priority. It searches only the
     * server's class path, and works without the class if it is not there.
     */
    private boolean writesUrgently() {
        return RpcControllerFactory.instantiate(new Settings(conf).forDelivery())
                .getClass()
                .getName()
                .equals(UrgentControllerFactory.class.getName());
    }
}
