package org.diffindex.lab.bench;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.diffindex.cluster.ClusterOptions;
import org.diffindex.cluster.LocalCluster;

/**
 * The cluster of a run, and a connection to it. It is stopped when this is closed, and ends with this JVM; without a folder of
 * the user's it has a temporary one, which goes then too. For one thread.
 */
final class BenchCluster implements Closeable {
    /** A region server that is silent for so long counts as dead. */
    static final Duration SESSION = Duration.ofSeconds(10);

    private final LocalCluster cluster;
    private final Optional<Path> temporary;
    private Connection connection;

    private BenchCluster(LocalCluster cluster, Optional<Path> temporary) {
        this.cluster = cluster;
        this.temporary = temporary;
    }

    /**
     * Starts a cluster and returns when it serves: the one in that folder, a new one there, or one in a temporary folder.
     *
     * @param heap of each region server of a new one, as for {@code -Xmx}
     * @throws org.diffindex.cluster.ClusterException if the one in that folder is running
     */
    static BenchCluster start(Optional<Path> dir, String heap) throws IOException {
        Optional<Path> temporary =
                dir.isPresent() ? Optional.empty() : Optional.of(Files.createTempDirectory("diffindex-bench-"));
        temporary.ifPresent(BenchCluster::deleteAtExit);
        Path folder = dir.or(() -> temporary).orElseThrow();
        LocalCluster cluster = LocalCluster.exists(folder)
                ? LocalCluster.open(folder)
                : LocalCluster.create(
                        folder, ClusterOptions.defaults().withHeap(heap).withSessionTimeout(SESSION));
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

    /** For a JVM that is told to end. The servers end at about the same time, and one may write a last file. */
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
            // Regions stay where they are, so that all rounds measure the same.
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
