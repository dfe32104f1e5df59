package org.diffindex.it;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HBaseTestingUtility;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.testing.TestingHBaseCluster;
import org.apache.hadoop.hbase.testing.TestingHBaseClusterOption;
import org.diffindex.cluster.ShortWaits;
import org.diffindex.server.IndexMasterObserver;
import org.diffindex.server.IndexServerEndpoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HBase with Diff-Index inside this JVM: one master and several region servers on an HDFS of its own. Closing it
 * removes all of it.
 */
public final class EmbeddedCluster implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedCluster.class);

    /** The system property that HBase sets to a folder of the cluster, which is deleted with the cluster. */
    private static final String TEMPORARY = "java.io.tmpdir";

    private final TestingHBaseCluster cluster;

    private EmbeddedCluster(TestingHBaseCluster cluster) {
        this.cluster = cluster;
    }

    /** Starts a cluster and returns when it serves. */
    public static EmbeddedCluster start(int regionServers) throws IOException {
        return start(regionServers, HBaseConfiguration.create());
    }

    /** Starts a cluster with the caller's settings. */
    public static EmbeddedCluster start(int regionServers, Configuration conf) throws IOException {
        add(conf, CoprocessorHost.MASTER_COPROCESSOR_CONF_KEY, IndexMasterObserver.class);
        add(conf, CoprocessorHost.REGIONSERVER_COPROCESSOR_CONF_KEY, IndexServerEndpoint.class);
        conf.setInt("hbase.master.info.port", -1);
        conf.setInt("hbase.regionserver.info.port", -1);
        ShortWaits.SETTINGS.forEach(conf::setInt);
        TestingHBaseCluster cluster = TestingHBaseCluster.create(TestingHBaseClusterOption.builder()
                .conf(conf)
                .numRegionServers(regionServers)
                .numDataNodes(1)
                .build());
        boolean started = false;
        String temporary = System.getProperty(TEMPORARY);
        Path used = File.createTempFile("embedded", "")
                .toPath(); // fixes the temporary folder of this JVM before HBase changes the property
        try {
            Files.delete(used);
            cluster.start();
            started = true;
        } catch (Exception | LinkageError e) {
            throw new IOException("The embedded HBase did not start: " + e.getMessage(), e);
        } finally {
            System.setProperty(TEMPORARY, temporary);
            if (!started) {
                stopHalfStarted(cluster);
            }
        }
        return new EmbeddedCluster(cluster);
    }

    private static void add(Configuration conf, String key, Class<?> coprocessor) {
        String others = conf.get(key, "");
        conf.set(key, others.isEmpty() ? coprocessor.getName() : others + "," + coprocessor.getName());
    }

    /**
     * Stops the servers of a cluster that did not start completely. Its own {@code stop} refuses that, and only its
     * private utility reaches them.
     */
    private static void stopHalfStarted(TestingHBaseCluster cluster) {
        try {
            Field field = cluster.getClass().getDeclaredField("util");
            field.setAccessible(true);
            ((HBaseTestingUtility) field.get(cluster)).shutdownMiniCluster();
        } catch (Exception e) {
            LOG.warn("Parts of an embedded HBase that did not start may still run", e);
        }
    }

    /** Returns a copy of the configuration with which a client connects. */
    public Configuration conf() {
        return new Configuration(cluster.getConf());
    }

    /** Returns the cluster itself, to stop or add servers. */
    public TestingHBaseCluster cluster() {
        return cluster;
    }

    @Override
    public void close() {
        try {
            cluster.stop();
        } catch (Exception e) {
            throw new UncheckedIOException(new IOException("The embedded HBase did not stop cleanly", e));
        }
    }
}
