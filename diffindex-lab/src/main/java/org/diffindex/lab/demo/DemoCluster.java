package org.diffindex.lab.demo;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.diffindex.cluster.EmbeddedCluster;
import picocli.CommandLine;

/**
 * The demo's HBase, a connection to it, and the folder of its files. The folder goes when the cluster is closed, and also
 * when the JVM is told to end before that, which it then does at once.
 */
final class DemoCluster implements Closeable {
    /** The system property under whose folder HBase's embedded cluster keeps its files. */
    private static final String FOLDER_PROPERTY = "test.build.data.basedirectory";

    private static final int REGION_SERVERS = 3;
    private static final long LONGEST_CLEANUP_NANOS = 3_000_000_000L;

    private final Path folder;
    private final Thread cleanup;
    private EmbeddedCluster cluster;
    private Connection connection;

    private DemoCluster(Path folder) {
        this.folder = folder;
        this.cleanup = new Thread(() -> endAtOnce(folder), "demo-cleanup");
    }

    /** Starts the cluster and returns when it serves. */
    static DemoCluster start() throws IOException {
        DemoCluster demo = new DemoCluster(Files.createTempDirectory("diffindex-demo-"));
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

    /**
     * Deletes the folder and ends the JVM, for that was told to end. The servers are not stopped: that takes long, and all
     * that they have is in the folder.
     */
    private static void endAtOnce(Path folder) {
        long start = System.nanoTime();
        do { // again, for the servers still write
            FileUtils.deleteQuietly(folder.toFile());
        } while (Files.exists(folder) && System.nanoTime() - start < LONGEST_CLEANUP_NANOS);
        Runtime.getRuntime().halt(CommandLine.ExitCode.SOFTWARE);
    }

    private void startHBase() throws IOException {
        Configuration conf = HBaseConfiguration.create();
        conf.setInt("hbase.client.pause", 20);
        String before = System.setProperty(FOLDER_PROPERTY, folder.toString());
        try {
            cluster = EmbeddedCluster.start(REGION_SERVERS, conf);
        } finally {
            if (before == null) {
                System.clearProperty(FOLDER_PROPERTY);
            } else {
                System.setProperty(FOLDER_PROPERTY, before);
            }
        }
        connection = ConnectionFactory.createConnection(cluster.conf());
    }

    Connection connection() {
        return connection;
    }

    @Override
    public void close() throws IOException {
        try {
            closeAll(connection, cluster);
        } finally {
            FileUtils.deleteDirectory(folder.toFile());
            removeHook();
        }
    }

    /** Closes the first, then the second, whatever the first does; what was not opened is null. */
    private static void closeAll(Closeable first, Closeable second) throws IOException {
        try {
            if (first != null) {
                first.close();
            }
        } finally {
            if (second != null) {
                second.close();
            }
        }
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(cleanup);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook finds nothing to do.
        }
    }
}
