package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.putOf;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.cli.cluster.EmbeddedCluster;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On a cluster with HBase's access control: a reader needs READ, and can do nothing else. */
class AccessIT {
    private static final TableName TABLE = TableName.valueOf("people");
    private static final IndexDefinition INDEX = IndexDefinition.builder(TABLE, "city")
            .column("f", "city", ColumnTypes.STRING)
            .build();

    /** What a user does. */
    @FunctionalInterface
    private interface Work {
        void with(Connection connection) throws IOException;
    }

    private static void as(String name, Configuration conf, Work work) throws Exception {
        User user = User.createUserForTesting(conf, name, new String[0]);
        user.runAs((PrivilegedExceptionAction<Void>) () -> {
            try (Connection connection = ConnectionFactory.createConnection(conf, user)) {
                work.with(connection);
            }
            return null;
        });
    }

    private static Configuration controlled() {
        Configuration conf = HBaseConfiguration.create();
        conf.setBoolean(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, true);
        for (String host : new String[] {
            CoprocessorHost.MASTER_COPROCESSOR_CONF_KEY,
            CoprocessorHost.REGION_COPROCESSOR_CONF_KEY,
            CoprocessorHost.REGIONSERVER_COPROCESSOR_CONF_KEY
        }) {
            conf.set(host, AccessController.class.getName());
        }
        conf.set("hbase.superuser", System.getProperty("user.name"));
        return conf;
    }

    private static void grant(Admin admin, String user, TableName table) throws IOException {
        admin.grant(
                new UserPermission(
                        user, Permission.newBuilder(table).withActions(Action.READ).build()),
                false);
    }

    private static void read(Connection connection) throws IOException {
        try (IndexedTable table = new IndexedTable(connection, TABLE);
                IndexScanner hits = table.getByIndex(
                        IndexQuery.index("city").equalTo("Oslo").build())) {
            assertThat(hits).extracting(IndexHit::row).extracting(Bytes::toString).containsExactly("a");
        }
    }

    @Test
    @Timeout(300)
    void aReaderReadsAndDoesNothingElse() throws Exception {
        try (EmbeddedCluster cluster = EmbeddedCluster.start(1, controlled());
                Connection owner = ConnectionFactory.createConnection(cluster.conf());
                Admin hbase = owner.getAdmin();
                DiffIndexAdmin admin = new DiffIndexAdmin(owner);
                Table table = owner.getTable(TABLE)) {
            hbase.createTable(TableDescriptorBuilder.newBuilder(TABLE)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                    .build());
            table.put(putOf("a", "Oslo"));
            admin.createIndex(INDEX);
            read(owner);
            Configuration conf = cluster.conf();
            as("stranger", conf, connection -> assertThatThrownBy(() -> read(connection))
                    .hasStackTraceContaining("AccessDeniedException"));
            grant(hbase, "reader", TABLE);
            grant(hbase, "reader", INDEX.indexTable());
            as("reader", conf, connection -> {
                read(connection);
                try (DiffIndexAdmin reader = new DiffIndexAdmin(connection)) {
                    assertThatThrownBy(() -> reader.drain(TABLE, Duration.ofSeconds(1)))
                            .hasStackTraceContaining("AccessDeniedException");
                }
            });
        }
    }
}
