package org.diffindex.lab.bench;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
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
 * cluster in a temporary folder is destroyed with its folder. If this JVM exits before, the processes are killed, and a
 * temporary folder is deleted. For one thread.
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
     * @param properties properties that {@code hbase-site.xml} must have, by name
     * @throws IOException if the cluster in {@code dir} is running, or was created without these properties
     */
    static BenchCluster start(Optional<Path> dir, String heap, Map<String, String> properties) throws IOException {
        BenchCluster started =
                dir.isPresent() ? startIn(dir.get(), heap, properties) : startTemporary(options(heap, properties));
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

    private static BenchCluster startIn(Path dir, String heap, Map<String, String> properties) throws IOException {
        LocalCluster cluster = LocalCluster.exists(dir)
                ? existing(dir, properties)
                : LocalCluster.create(dir, options(heap, properties));
        cluster.start(); // before destroyAtExit, since it fails if the cluster is running
        return new BenchCluster(cluster.destroyAtExit(), Optional.empty());
    }

    private static BenchCluster startTemporary(ClusterOptions options) throws IOException {
        Path folder = Files.createTempDirectory("diffindex-bench-");
        LocalCluster cluster;
        try {
            cluster = LocalCluster.create(folder, options);
        } catch (IOException e) {
            boolean unused = FileUtils.deleteQuietly(folder.toFile());
            throw e;
        }
        cluster.destroyAndDeleteAtExit().start();
        return new BenchCluster(cluster, Optional.of(folder));
    }

    private static LocalCluster existing(Path folder, Map<String, String> properties) throws IOException {
        LocalCluster cluster = LocalCluster.open(folder);
        Configuration conf = cluster.configuration();
        for (Map.Entry<String, String> property : properties.entrySet()) {
            if (!property.getValue().equals(conf.get(property.getKey()))) {
                throw new IOException("The cluster in " + cluster.layout().dir() + " was created without "
                        + property.getKey() + "=" + property.getValue()
                        + ", which this run asks for; nothing was started; name a new folder");
            }
        }
        return cluster;
    }

    private static ClusterOptions options(String heap, Map<String, String> properties) {
        ClusterOptions options = ClusterOptions.defaults().withHeap(heap).withSessionTimeout(Bench.SESSION_TIMEOUT);
        for (Map.Entry<String, String> property : properties.entrySet()) {
            options = options.with(property.getKey(), property.getValue());
        }
        return options;
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
                Map<String, String> unused = cluster.stop();
            }
        }
    }
}
