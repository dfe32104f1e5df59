package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.F;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.replication.ReplicationPeerConfig;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.diffindex.client.BuildListener;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.cluster.Conditions;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.IndexComparison;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Two clusters replicate an indexed table to each other. Each maintains its own index, under its own scheme; the tables of
 * indexes are not replicated, and a cluster whose index is away takes rows all the same.
 */
@Isolated
@Tag("proof")
@Tag("turn-2")
class ReplicationIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String BY_CITY = "by_city";

    private static Side here;
    private static Side there;

    /** One of the two clusters. */
    private static final class Side implements AutoCloseable {
        private final EmbeddedCluster cluster = EmbeddedCluster.start(1);
        private final Connection connection = ConnectionFactory.createConnection(cluster.conf());
        private final Admin hbase = connection.getAdmin();
        private final DiffIndexAdmin indexes = new DiffIndexAdmin(connection);

        Side() throws IOException {}

        void replicateTo(Side other) throws IOException {
            hbase.addReplicationPeer(
                    "other",
                    ReplicationPeerConfig.newBuilder()
                            .setClusterKey(ZKConfig.getZooKeeperClusterKey(other.cluster.conf()))
                            .build());
        }

        void create(TableName name, IndexScheme scheme) throws IOException {
            TableDescriptor table = TableDescriptorBuilder.newBuilder(name)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F)
                            .setScope(HConstants.REPLICATION_SCOPE_GLOBAL)
                            .build())
                    .build();
            indexes.createTable(
                    table,
                    new byte[][] {Bytes.toBytes("m")},
                    IndexDefinition.builder(name, BY_CITY)
                            .column("f", "city", ColumnTypes.STRING)
                            .scheme(scheme)
                            .build());
        }

        void put(TableName name, String row, String city) throws IOException {
            try (Table table = connection.getTable(name)) {
                table.put(IndexedFixture.putOf(row, city));
            }
        }

        void delete(TableName name, String row) throws IOException {
            try (Table table = connection.getTable(name)) {
                table.delete(new Delete(Bytes.toBytes(row)));
            }
        }

        void await(TableName name, String row, boolean isThere) throws IOException {
            try (Table table = connection.getTable(name)) {
                assertThat(Conditions.await(PATIENCE, () -> table.exists(new Get(Bytes.toBytes(row))) == isThere))
                        .as("row %s is %s", row, isThere ? "there" : "gone")
                        .isTrue();
            }
        }

        List<String> rows(TableName name, String city) throws IOException {
            List<String> rows = new ArrayList<>();
            try (IndexedTable table = new IndexedTable(connection, name);
                    IndexScanner hits = table.getByIndex(
                            IndexQuery.index(BY_CITY).equalTo(city).build())) {
                for (IndexHit hit : hits) {
                    rows.add(Bytes.toString(hit.row()));
                }
            }
            return rows;
        }

        void assertIndexEqualsBase(TableName name) throws IOException {
            assertThat(indexes.drain(name, PATIENCE)).isZero();
            ScrubReport report = IndexComparison.compare(connection, indexes.describeIndex(name, BY_CITY));
            assertThat(report.isClean()).as(report.toString()).isTrue();
        }

        @Override
        public void close() throws IOException {
            indexes.close();
            hbase.close();
            connection.close();
            cluster.close();
        }
    }

    @BeforeAll
    static void start() throws IOException {
        here = new Side();
        there = new Side();
        here.replicateTo(there);
        there.replicateTo(here);
    }

    @AfterAll
    static void stop() throws IOException {
        try (Side first = here;
                Side second = there) {
            assertThat(first).isNotSameAs(second);
        }
    }

    private static TableName created(TestInfo test) throws IOException {
        TableName name = TableName.valueOf(test.getTestMethod().orElseThrow().getName());
        here.create(name, IndexScheme.SYNC_FULL);
        there.create(name, IndexScheme.ASYNC_SIMPLE);
        return name;
    }

    @Test
    void eachSideMaintainsItsOwnIndex(TestInfo test) throws Exception {
        TableName name = created(test);
        for (int i = 0; i < 100; i++) {
            here.put(name, "h" + i, "Oslo");
            there.put(name, "t" + i, "Oslo");
        }
        here.put(name, "h1", "Bergen");
        here.delete(name, "h2");
        here.put(name, "z-last", "Bergen");
        there.put(name, "z-last-there", "Bergen");
        for (Side side : List.of(here, there)) {
            side.await(name, "z-last", true);
            side.await(name, "z-last-there", true);
            side.await(name, "h2", false);
            side.assertIndexEqualsBase(name);
            assertThat(side.rows(name, "Bergen")).containsExactly("h1", "z-last", "z-last-there");
            assertThat(side.rows(name, "Oslo")).hasSize(198);
        }
    }

    @Test
    void theTablesOfIndexesAreNotReplicated(TestInfo test) throws Exception {
        TableName name = created(test);
        TableName own = IndexDefinition.indexTable(name, BY_CITY);
        for (Side side : List.of(here, there)) {
            TableDescriptor table = side.hbase.getDescriptor(own);
            assertThat(table.getColumnFamilies())
                    .extracting(ColumnFamilyDescriptor::getScope)
                    .containsOnly(HConstants.REPLICATION_SCOPE_LOCAL);
            ColumnFamilyDescriptor replicated = ColumnFamilyDescriptorBuilder.newBuilder(table.getColumnFamilies()[0])
                    .setScope(HConstants.REPLICATION_SCOPE_GLOBAL)
                    .build();
            assertThatThrownBy(() -> side.hbase.modifyColumnFamily(own, replicated))
                    .hasStackTraceContaining("it would be replicated, and the other cluster refuses that");
        }
        there.indexes.dropIndex(name, BY_CITY);
        here.put(name, "h1", "Oslo");
        there.await(name, "h1", true);
        assertThat(there.hbase.tableExists(own)).isFalse();
        assertThat(here.rows(name, "Oslo")).containsExactly("h1");
    }

    @Test
    void aSideWhoseIndexIsAwayTakesRowsAndItsIndexFollows(TestInfo test) throws Exception {
        TableName name = created(test);
        TableName own = IndexDefinition.indexTable(name, BY_CITY);
        here.hbase.disableTable(own); // of the synchronous index
        for (int i = 0; i < 50; i++) {
            there.put(name, "t" + i, "Oslo");
        }
        here.await(name, "t49", true);
        here.hbase.enableTable(own);
        here.assertIndexEqualsBase(name);
        assertThat(here.rows(name, "Oslo")).hasSize(50);
    }

    /** The rows of the other side stay; a truncation is not replicated. */
    @Test
    void aSideThatIsTruncatedRebuildsItsOwnIndexOnly(TestInfo test) throws Exception {
        TableName name = created(test);
        here.put(name, "h1", "Oslo");
        there.await(name, "h1", true);
        there.hbase.disableTable(name);
        there.hbase.truncateTable(name, true);
        here.put(name, "h2", "Oslo");
        there.await(name, "h2", true);
        there.indexes.awaitIndex(name, BY_CITY, BuildListener.NONE);
        there.assertIndexEqualsBase(name);
        assertThat(there.rows(name, "Oslo")).containsExactly("h2");
        assertThat(here.rows(name, "Oslo")).containsExactly("h1", "h2");
    }
}
