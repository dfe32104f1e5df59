package org.diffindex.lab.demo;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.diffindex.cluster.ClusterOptions;
import org.diffindex.cluster.LocalCluster;
import picocli.CommandLine;

/**
 * The cluster of the demo, a connection to it, and the folder of its files. On close, the processes are killed and the
 * folder is deleted. If the JVM is terminated earlier, a shutdown hook does the same and then halts the JVM.
 */
final class DemoCluster implements Closeable {
    private static final ClusterOptions OPTIONS =
            ClusterOptions.defaults().withHeap("512m").with("hbase.client.pause", "20");

    private static final long LONGEST_CLEANUP_NANOS = 3_000_000_000L;

    private final LocalCluster cluster;
    private final Path folder;
    private final Thread cleanup = new Thread(this::endAtOnce, "demo-cleanup");
    private Connection connection;

    private DemoCluster(LocalCluster cluster, Path folder) {
        this.cluster = cluster;
        this.folder = folder;
    }

    /** Starts the cluster; returns when it serves. */
    static DemoCluster start() throws IOException {
        Path folder = Files.createTempDirectory("diffindex-demo-");
        DemoCluster demo = new DemoCluster(create(folder), folder);
        Runtime.getRuntime().addShutdownHook(demo.cleanup);
        boolean started = false;
        try {
            demo.startHBase();
            started = true;
            return demo;
        } finally {
            if (!started) {
                demo.close();
            }
        }
    }

    private static LocalCluster create(Path folder) throws IOException {
        try {
            return LocalCluster.create(folder, OPTIONS);
        } catch (IOException e) {
            FileUtils.deleteQuietly(folder.toFile());
            throw e;
        }
    }

    private void startHBase() throws IOException {
        cluster.start();
        connection = ConnectionFactory.createConnection(cluster.configuration());
    }

    /**
     * Kills the processes, deletes the folder and halts the JVM, which is shutting down. The lock is not released
     * before that, so that the thread of the demo, whose calls now fail, blocks in {@link #close} and reports nothing.
     */
    private synchronized void endAtOnce() {
        long start = System.nanoTime();
        destroyQuietly();
        do { // repeated, because the demo's thread may still write a file
            FileUtils.deleteQuietly(folder.toFile());
        } while (Files.exists(folder) && System.nanoTime() - start < LONGEST_CLEANUP_NANOS);
        Runtime.getRuntime().halt(CommandLine.ExitCode.SOFTWARE);
    }

    private void destroyQuietly() {
        try {
            cluster.destroyForGood();
        } catch (IOException e) {
            // The folder is deleted anyway, and nobody reads messages any more.
        }
    }

    Connection connection() {
        return connection;
    }

    @Override
    public void close() throws IOException {
        try {
            closeConnection();
        } finally {
            destroyAndDelete();
            removeHook();
        }
    }

    private void closeConnection() throws IOException {
        if (connection != null) {
            connection.close();
        }
    }

    private synchronized void destroyAndDelete() throws IOException {
        try {
            cluster.destroy();
        } finally {
            FileUtils.deleteDirectory(folder.toFile());
        }
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(cleanup);
        } catch (IllegalStateException e) {
            // The JVM is shutting down, and nothing is left for the hook to do.
        }
    }
}
