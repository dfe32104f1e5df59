package org.diffindex.it;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.diffindex.cli.cluster.EmbeddedCluster;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One embedded cluster with three region servers for all tests of the JVM; hands them its connection. */
final class ClusterExtension implements ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create("diffindex");

    /** The cluster and a connection to it; closed when the last test has run. */
    static final class Running implements AutoCloseable {
        private final EmbeddedCluster cluster;
        private final Connection connection;

        private Running() throws IOException {
            Configuration conf = HBaseConfiguration.create();
            conf.setInt("hbase.client.pause", 20);
            cluster = EmbeddedCluster.start(3, conf);
            connection = ConnectionFactory.createConnection(cluster.conf());
        }

        @Override
        public void close() throws IOException {
            connection.close();
            cluster.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Connection.class || type == EmbeddedCluster.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Running running = context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(Running.class, type -> start(), Running.class);
        return parameter.getParameter().getType() == Connection.class ? running.connection : running.cluster;
    }

    private static Running start() {
        try {
            return new Running();
        } catch (IOException e) {
            throw new IllegalStateException("The embedded cluster did not start", e);
        }
    }
}
