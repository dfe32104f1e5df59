package org.diffindex.phoenix;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.phoenix.util.PhoenixRuntime;

/** Opens JDBC connections to Phoenix on a cluster. All of them share one connection to HBase. Thread-safe. */
final class PhoenixConnections {
    /** The number of rows that a commit sends in one call to a server, at most; Phoenix's default is 100. */
    private static final int COMMIT_ROWS = 1_000;

    /** The bytes that a commit sends in one call to a server, at most; Phoenix's default is 2 MB. */
    private static final long COMMIT_BYTES = 64 << 20;

    /** The settings of HBase's client that the other clients of the bench change. */
    private static final List<String> CLIENT_SETTINGS = List.of("hbase.client.pause", "hbase.client.retries.number");

    private final String url;
    private final Properties properties = new Properties();

    /** Creates an object for a cluster, given the configuration of a client of it. */
    PhoenixConnections(Configuration cluster) {
        this.url = String.join(
                ":",
                PhoenixRuntime.JDBC_PROTOCOL,
                cluster.get("hbase.zookeeper.quorum"),
                cluster.get("hbase.zookeeper.property.clientPort"),
                cluster.get("zookeeper.znode.parent"));
        properties.setProperty(PhoenixRuntime.UPSERT_BATCH_SIZE_ATTRIB, Integer.toString(COMMIT_ROWS));
        properties.setProperty(PhoenixRuntime.UPSERT_BATCH_SIZE_BYTES_ATTRIB, Long.toString(COMMIT_BYTES));
        for (String setting : CLIENT_SETTINGS) {
            properties.setProperty(setting, cluster.get(setting));
        }
    }

    /** Returns a new connection that does not commit by itself. */
    Connection open() throws SQLException {
        Connection connection = DriverManager.getConnection(url, properties);
        connection.setAutoCommit(false);
        return connection;
    }
}
