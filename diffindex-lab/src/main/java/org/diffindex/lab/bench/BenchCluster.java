package org.diffindex.lab.bench;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.diffindex.cluster.ClusterOptions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.lab.bench.experiments.Bench;

/**
 * The cluster of a run, and a connection to it. On close, a cluster in a folder that the user named is stopped; a
 * cluster in a temporary folder is destroyed with its folder. If this JVM exits before, the processes are killed. For
 * one thread.
 */
final class BenchCluster implements Closeable {
    private final LocalCluster cluster;
    private final Optional<Path> temporary;
    private Connection connection;

    private BenchCluster(LocalCluster cluster, Optional<Path> temporary) {
        this.cluster = cluster;
        this.temporary = temporary;
    }

    /**
     * Starts a cluster and returns when it serves: the existing one in {@code dir}, a new one there, or, without {@code
     * dir}, a new one in a temporary folder.
     *
     * @param heap the heap of each region server of a new cluster, as for {@code -Xmx}
     * @throws org.diffindex.cluster.ClusterException if the cluster in {@code dir} is running
     */
    static BenchCluster start(Optional<Path> dir, String heap) throws IOException {
        Optional<Path> temporary =
                dir.isPresent() ? Optional.empty() : Optional.of(Files.createTempDirectory("diffindex-bench-"));
        temporary.ifPresent(BenchCluster::deleteAtExit);
        Path folder = dir.or(() -> temporary).orElseThrow();
        LocalCluster cluster = LocalCluster.exists(folder)
                ? LocalCluster.open(folder)
                : LocalCluster.create(
                        folder, ClusterOptions.defaults().withHeap(heap).withSessionTimeout(Bench.SESSION_TIMEOUT));
        cluster.start();
        BenchCluster started = new BenchCluster(cluster.destroyAtExit(), temporary);
        boolean connected = false;
        try {
            started.connect();
            connected = true;
            return started;
        } finally {
            if (!connected) {
                started.close();
            }
        }
    }

    /**
     * Deletes the folder when the JVM exits. The servers end at the same time; one may still write a file, which then
     * remains.
     */
    private static void deleteAtExit(Path folder) {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> FileUtils.deleteQuietly(folder.toFile()), "delete-bench-folder"));
    }

    private void connect() throws IOException {
        Configuration conf = cluster.configuration();
        conf.setInt("hbase.client.pause", 50);
        conf.setInt("hbase.client.retries.number", 40); // longer than a recovery takes
        connection = ConnectionFactory.createConnection(conf);
        try (Admin admin = connection.getAdmin()) {
            // Keep regions in place, so that all rounds measure the same layout.
            boolean unused = admin.balancerSwitch(false, true);
        }
    }

    LocalCluster cluster() {
        return cluster;
    }

    Connection connection() {
        return connection;
    }

    @Override
    public void close() throws IOException {
        try {
            if (connection != null) {
                connection.close();
            }
        } finally {
            if (temporary.isPresent()) {
                cluster.destroy();
                FileUtils.deleteDirectory(temporary.get().toFile());
            } else {
                cluster.stop();
            }
        }
    }
}
