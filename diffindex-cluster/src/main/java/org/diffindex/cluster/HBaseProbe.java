package org.diffindex.cluster;

import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/** Checks whether an HBase cluster serves, with short timeouts. Used by one thread. */
final class HBaseProbe implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 5_000;

    private final Connection connection;

    /** Opens a connection; ZooKeeper must be running. */
    HBaseProbe(Configuration cluster) throws IOException {
        Configuration conf = new Configuration(cluster);
        conf.setInt("hbase.client.retries.number", 1);
        conf.setInt("hbase.rpc.timeout", TIMEOUT_MILLIS);
        conf.setInt("hbase.client.operation.timeout", TIMEOUT_MILLIS);
        conf.setInt("hbase.client.meta.operation.timeout", TIMEOUT_MILLIS);
        conf.setInt("hbase.client.scanner.timeout.period", TIMEOUT_MILLIS);
        conf.setInt("zookeeper.recovery.retry", 1);
        connection = ConnectionFactory.createConnection(conf);
    }

    /**
     * Returns whether the master has initialized, every given region server has registered with it, and hbase:meta can
     * be read.
     *
     * @param regionServers the start of each process by its port; an earlier registration belongs to a previous process
     */
    boolean serves(Map<Integer, Instant> regionServers) {
        try (Admin admin = connection.getAdmin()) {
            for (Map.Entry<Integer, Instant> expected : regionServers.entrySet()) {
                if (admin.getRegionServers().stream().noneMatch(server -> isLifeOf(server, expected))) {
                    return false;
                }
            }
            // The master answers this call only after it has initialized.
            admin.listNamespaces();
            return canReadMeta();
        } catch (IOException e) {
            return false;
        }
    }

    /** Asks the master to shut down the whole cluster; returns at once. */
    void shutDown() throws IOException {
        try (Admin admin = connection.getAdmin()) {
            admin.shutdown();
        }
    }

    private boolean canReadMeta() throws IOException {
        try (Table meta = connection.getTable(TableName.META_TABLE_NAME);
                ResultScanner rows = meta.getScanner(new Scan().setLimit(1))) {
            return rows.next() != null;
        }
    }

    private static boolean isLifeOf(ServerName server, Map.Entry<Integer, Instant> expected) {
        return server.getPort() == expected.getKey()
                && server.getStartCode() >= expected.getValue().toEpochMilli();
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
