package org.diffindex.it;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One embedded cluster with three region servers for all test classes that run concurrently; provides its connection.
 * It stops with the last of them, so that tests that need the machine for themselves have it.
 */
final class ClusterExtension implements BeforeAllCallback, AfterAllCallback, ParameterResolver {
    private static Running running;
    private static int users;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        synchronized (ClusterExtension.class) {
            if (running == null) {
                running = new Running();
            }
            users++;
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        synchronized (ClusterExtension.class) {
            users--;
            if (users == 0) {
                Running last = running;
                running = null;
                last.close();
            }
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Connection.class || type == EmbeddedCluster.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        synchronized (ClusterExtension.class) {
            return parameter.getParameter().getType() == Connection.class ? running.connection : running.cluster;
        }
    }

    /** How often clients repeat a call. By HBase's default, with so short a pause, they give up after half a minute. */
    private static final int RETRIES = 60;

    /** The cluster and a connection to it. */
    private static final class Running implements AutoCloseable {
        private final EmbeddedCluster cluster;
        private final Connection connection;

        private Running() throws IOException {
            Configuration conf = HBaseConfiguration.create();
            conf.setInt("hbase.client.pause", 20);
            cluster = EmbeddedCluster.start(3, conf);
            Configuration client = cluster.conf();
            client.setInt("hbase.client.retries.number", RETRIES);
            connection = ConnectionFactory.createConnection(client);
        }

        @Override
        public void close() throws IOException {
            connection.close();
            cluster.close();
        }
    }
}
