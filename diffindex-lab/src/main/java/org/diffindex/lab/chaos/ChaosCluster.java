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
    /** A region server that is silent for so long counts as dead. */
    static final Duration SESSION = Duration.ofSeconds(8);

    /** Longer than any server is stalled: no attempt of a write begins while a server holds an earlier one. */
    static final Duration RPC_TIMEOUT = Duration.ofSeconds(60);

    /** Longer than a recovery takes. */
    private static final Duration OPERATION_TIMEOUT = Duration.ofMinutes(4);

    private ChaosCluster() {}

    /** A new cluster, not started. It ends with this JVM. */
    static LocalCluster create(ChaosOptions options) throws IOException {
        ClusterOptions cluster = ClusterOptions.defaults()
                .withRegionServers(options.regionServers())
                .withDataNodes(3)
                .withHeap("512m")
                .withSessionTimeout(SESSION)
                // So small that memstores fill up and are flushed within a minute or two.
                .with("hbase.hregion.memstore.flush.size", "1048576")
                // Regions that were split or merged can be merged again soon.
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

    /** The folder of the {@link ClockShift}s of a cluster's region servers. */
    static Path clocks(LocalCluster cluster) {
        return clocks(cluster.layout().dir());
    }

    private static Path clocks(Path clusterDir) {
        return clusterDir.resolve("clocks");
    }

    /** Of clients that outlive any recovery. */
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

    /** Of who looks after the cluster, and rather sees a failure than wait. */
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
