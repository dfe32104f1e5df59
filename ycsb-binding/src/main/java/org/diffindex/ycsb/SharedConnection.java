package org.diffindex.ycsb;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/**
 * A share in the one {@link Connection} of this process, which the first share opens, and the last one closes when it
 * is closed: an HBase connection is expensive and made for many threads. Safe for use by many threads.
 */
final class SharedConnection implements Closeable {
    /** The folder of hbase-site.xml; without it HBase searches the class path. */
    static final String CONF = "hbase.conf";

    private static final List<String> FILES = List.of("core-site.xml", "hdfs-site.xml", "hbase-site.xml");
    private static final Object LOCK = new Object();

    // Guarded by LOCK; the connection is open while there are shares. Static, because YCSB creates its DBs by
    // reflection, one for each thread, and offers no other place for what they share.
    private static Connection connection;
    private static int shares;

    private boolean open = true;

    private SharedConnection() {}

    /**
     * Takes a share.
     *
     * @throws IOException if the cluster does not answer, or the folder of {@value #CONF} contains no hbase-site.xml
     */
    static SharedConnection open(Properties properties) throws IOException {
        synchronized (LOCK) {
            if (shares == 0) {
                connection = ConnectionFactory.createConnection(configuration(properties));
            }
            shares++;
            return new SharedConnection();
        }
    }

    static Configuration configuration(Properties properties) throws IOException {
        Configuration configuration = HBaseConfiguration.create();
        String folder = properties.getProperty(CONF);
        if (folder != null) {
            if (!Files.isReadable(Path.of(folder, "hbase-site.xml"))) {
                throw new IOException("There is no readable hbase-site.xml in " + folder + "; set " + CONF
                        + " to the folder of the cluster's configuration");
            }
            for (String file : FILES) {
                if (Files.exists(Path.of(folder, file))) {
                    configuration.addResource(Path.of(folder, file).toUri().toURL());
                }
            }
        }
        return configuration;
    }

    Connection get() {
        synchronized (LOCK) {
            return connection;
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (LOCK) {
            if (open) {
                open = false;
                shares--;
                if (shares == 0) {
                    connection.close();
                }
            }
        }
    }
}
