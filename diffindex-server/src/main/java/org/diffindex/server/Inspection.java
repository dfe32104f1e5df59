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
import org.diffindex.model.IndexFormat;
import org.diffindex.model.ServerSetting;
import org.diffindex.protocol.DiffIndexProtos.ColumnTypeAnswer;
import org.diffindex.protocol.DiffIndexProtos.InspectRequest;
import org.diffindex.protocol.DiffIndexProtos.InspectResponse;
import org.diffindex.protocol.DiffIndexProtos.Setting;
import org.diffindex.server.deliver.UrgentControllerFactory;

/**
 * A server's report of its versions, its clock, the settings that Diff-Index depends on ({@link ServerSetting}), and
 * the column types that it can load. A region's report also names the region's indexes. Thread-safe; settings are read
 * from the configuration when a request is answered.
 */
final class Inspection {
    /** The maximum number of column types of a request that are answered. */
    private static final int MAX_COLUMN_TYPES = 100;

    private final ServerName server;
    private final Configuration conf;
    private final List<String> indexes;
    private final Optional<String> problem;

    /** Computed when the coprocessor starts, since the file may be replaced before the server is restarted. */
    private final Optional<String> jarDigest = JarDigest.ofThisJar();

    /**
     * Creates the report of a server.
     *
     * @param conf the configuration of the coprocessor that answers: of the server; of a region, with its table's
     *     values
     * @param indexes the names of the indexes that the region maintains; empty if no region of a base table answers
     */
    Inspection(ServerName server, Configuration conf, Collection<String> indexes) {
        this(server, conf, indexes, Optional.empty());
    }

    /**
     * Creates the report of a server, made by a region of a base table.
     *
     * @param problem why the region cannot load its indexes; empty if it can
     */
    Inspection(ServerName server, Configuration conf, Collection<String> indexes, Optional<String> problem) {
        this.server = server;
        this.conf = conf;
        this.indexes = indexes.stream().sorted().toList();
        this.problem = problem;
    }

    /**
     * Returns the report.
     *
     * @param request names column types; those beyond {@link #MAX_COLUMN_TYPES} are not answered
     * @param clockMs the time of the server's clock, in milliseconds since the epoch
     */
    InspectResponse response(InspectRequest request, long clockMs) {
        InspectResponse.Builder response = InspectResponse.newBuilder()
                .setServer(server.toString())
                .setVersion(DiffIndexVersion.current())
                .setHbaseVersion(VersionInfo.getVersion())
                .setJavaVersion(Runtime.version().toString())
                .setClockMs(clockMs)
                .setUrgentIndexWrites(writesUrgently())
                .setLatestFormat(IndexFormat.latest())
                .setGenerations(true)
                .addAllIndexes(indexes);
        problem.ifPresent(response::setProblem);
        request.getColumnTypesList().stream()
                .limit(MAX_COLUMN_TYPES)
                .map(Inspection::answer)
                .forEach(response::addColumnTypes);
        jarDigest.ifPresent(response::setJarDigest);
        for (ServerSetting setting : ServerSetting.values()) {
            response.addSettings(told(setting));
        }
        return response.build();
    }

    /** Answers whether this server can load a column type: without an error if it can, else with the reason. */
    private static ColumnTypeAnswer answer(String columnType) {
        ColumnTypeAnswer.Builder answer = ColumnTypeAnswer.newBuilder().setColumnType(columnType);
        try {
            ColumnType unused = ColumnTypes.parse(columnType);
        } catch (RuntimeException | LinkageError e) {
            answer.setError(String.valueOf(e.getMessage()));
        }
        return answer.build();
    }

    /** Returns a setting's name, and its value if the configuration has one. */
    private Setting told(ServerSetting setting) {
        Setting.Builder told = Setting.newBuilder().setName(setting.key());
        String value = conf.get(setting.key());
        return (value == null ? told : told.setValue(value)).build();
    }

    /**
     * Returns whether the writes of this server to index tables have high priority. HBase's client looks for the class
     * that gives it to them on the server's class path only; if it does not find the class, it uses normal priority.
     */
    private boolean writesUrgently() {
        return RpcControllerFactory.instantiate(new Settings(conf).forDelivery())
                .getClass()
                .getName()
                .equals(UrgentControllerFactory.class.getName());
    }
}
