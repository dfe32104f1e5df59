package org.diffindex.lab.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.diffindex.client.Coprocessors;
import org.diffindex.cluster.ClusterOptions;
import org.diffindex.cluster.LocalCluster;

/** The cluster of a run and the configuration of its clients. */
final class ChaosCluster {
    /** The session timeout of region servers. */
    static final Duration SESSION = Duration.ofSeconds(8);

    /**
     * The RPC timeout: longer than any stall, so that a client does not repeat a write while a stalled server still has
     * the first attempt.
     */
    static final Duration RPC_TIMEOUT = Duration.ofSeconds(60);

    /** The operation timeout of clients: longer than a recovery takes. */
    private static final Duration OPERATION_TIMEOUT = Duration.ofMinutes(4);

    private ChaosCluster() {}

    /** Creates a cluster without starting it; it is destroyed when this JVM exits. */
    static LocalCluster create(ChaosOptions options) throws IOException {
        ClusterOptions cluster = ClusterOptions.defaults()
                .withRegionServers(options.regionServers())
                .withDataNodes(3)
                .withHeap("512m")
                .withSessionTimeout(SESSION)
                // Small, so that memstores fill up and are flushed within a minute or two.
                .with("hbase.hregion.memstore.flush.size", "1048576")
                // Run often, so that regions can be merged again soon after a split or merge.
                .with("hbase.catalogjanitor.interval", "30000")
                .with(
                        "hbase.coprocessor.regionserver.classes",
                        Coprocessors.INDEX_SERVER_ENDPOINT + "," + ClockCoprocessor.class.getName())
                .with(ClockCoprocessor.FOLDER, clocks(options.clusterDir()).toString());
        for (Map.Entry<String, String> setting : options.callQueues().settings().entrySet()) {
            cluster = cluster.with(setting.getKey(), setting.getValue());
        }
        LocalCluster created = LocalCluster.create(options.clusterDir(), cluster);
        Files.createDirectories(clocks(created));
        return created.destroyAtExit();
    }

    /** Returns the folder of the {@link ClockShift}s of a cluster's region servers. */
    static Path clocks(LocalCluster cluster) {
        return clocks(cluster.layout().dir());
    }

    private static Path clocks(Path clusterDir) {
        return clusterDir.resolve("clocks");
    }

    /** Returns the configuration of clients whose calls outlast any recovery. */
    static Configuration clientConfiguration(LocalCluster cluster) throws IOException {
        Configuration conf = cluster.configuration();
        conf.setLong("hbase.rpc.timeout", RPC_TIMEOUT.toMillis());
        conf.setLong("hbase.client.scanner.timeout.period", RPC_TIMEOUT.toMillis());
        conf.setLong("hbase.client.operation.timeout", OPERATION_TIMEOUT.toMillis());
        conf.setLong("hbase.client.meta.operation.timeout", OPERATION_TIMEOUT.toMillis());
        conf.setInt("hbase.client.retries.number", 1_000);
        conf.setInt("hbase.client.pause", 50);
        return conf;
    }

    /** Returns the configuration of administrative calls, which fail early rather than wait. */
    static Configuration adminConfiguration(LocalCluster cluster) throws IOException {
        Configuration conf = cluster.configuration();
        conf.setInt("hbase.rpc.timeout", 20_000);
        conf.setInt("hbase.client.scanner.timeout.period", 60_000);
        conf.setInt("hbase.client.operation.timeout", 60_000);
        conf.setInt("hbase.client.meta.operation.timeout", 60_000);
        conf.setInt("hbase.client.retries.number", 20);
        return conf;
    }
}
