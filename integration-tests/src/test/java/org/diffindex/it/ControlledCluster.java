package org.diffindex.it;

import java.io.Closeable;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.security.Superusers;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.access.UserPermission;

/**
 * An embedded cluster with HBase's AccessController, and connections of users whom HBase trusts without authentication.
 */
final class ControlledCluster implements Closeable {
    /** More region servers than all embedded clusters of this JVM's tests have together. */
    private static final int MOST_SERVERS = 500;

    /** A connection of the user that runs the servers, who has every permission. */
    final Connection superuser;

    private final EmbeddedCluster cluster;

    /** The connections by user name. */
    private final Map<String, Connection> connections = new LinkedHashMap<>();

    /**
     * Starts a cluster with the AccessController, and behind it with other coprocessors of the masters and of all
     * regions.
     */
    ControlledCluster(Class<?>... others) throws IOException {
        cluster = EmbeddedCluster.start(2, controlled(others));
        superuser = ConnectionFactory.createConnection(cluster.conf());
    }

    @Override
    public void close() throws IOException {
        for (Connection connection : connections.values()) {
            connection.close();
        }
        superuser.close();
        cluster.close();
    }

    private static Configuration controlled(Class<?>... others) throws IOException {
        Configuration conf = HBaseConfiguration.create();
        conf.setInt("hbase.client.pause", 20);
        conf.setInt("diffindex.stale.delay.ms", 200);
        conf.setBoolean(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, true);
        for (String hosts : List.of(
                CoprocessorHost.MASTER_COPROCESSOR_CONF_KEY,
                CoprocessorHost.REGIONSERVER_COPROCESSOR_CONF_KEY,
                CoprocessorHost.REGION_COPROCESSOR_CONF_KEY)) {
            conf.set(hosts, AccessController.class.getName());
        }
        for (Class<?> other : others) {
            for (String hosts :
                    List.of(CoprocessorHost.MASTER_COPROCESSOR_CONF_KEY, CoprocessorHost.REGION_COPROCESSOR_CONF_KEY)) {
                conf.set(hosts, conf.get(hosts) + "," + other.getName());
            }
        }
        String server = User.getCurrent().getShortName();
        // Each region server of an embedded HBase is a user of its own; HBase numbers those of all clusters of the JVM.
        String servers = IntStream.range(0, MOST_SERVERS)
                .mapToObj(i -> "," + server + ".hfs." + i)
                .collect(Collectors.joining());
        conf.set(Superusers.SUPERUSER_CONF_KEY, server + servers);
        return conf;
    }

    void grant(String user, TableName table, Action... actions) throws IOException {
        grant(user, Permission.newBuilder(table).withActions(actions).build());
    }

    void grant(String user, Permission permission) throws IOException {
        Grants.grant(superuser, user, permission);
    }

    /** Revokes a permission; returns when the master has stored that. */
    void revoke(String user, Permission permission) throws IOException {
        try (Admin admin = superuser.getAdmin()) {
            admin.revoke(new UserPermission(user, permission));
        }
    }

    /** Waits until the user may read in each region of a table; earlier grants on the table are effective then, too. */
    void awaitGranted(String user, TableName name) throws IOException {
        Grants.awaitReader(superuser, as(user), name);
    }

    Connection as(String user) throws IOException {
        Connection connection = connections.get(user);
        if (connection == null) {
            Configuration conf = cluster.conf();
            connection = ConnectionFactory.createConnection(conf, User.createUserForTesting(conf, user, new String[0]));
            connections.put(user, connection);
        }
        return connection;
    }
}
