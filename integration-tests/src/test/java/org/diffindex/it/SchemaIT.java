package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.putOf;

import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/** HBase's own schema operations cannot separate a table from its index: a real master refuses them. */
@ExtendWith(ClusterExtension.class)
class SchemaIT {
    private static final String INDEX = "city";

    private final TableName name;
    private final Connection connection;
    private final Admin hbase;
    private final DiffIndexAdmin admin;

    SchemaIT(Connection connection, TestInfo test) throws IOException {
        this.name = TableName.valueOf(test.getTestMethod().orElseThrow().getName());
        this.connection = connection;
        this.hbase = connection.getAdmin();
        this.admin = new DiffIndexAdmin(connection);
    }

    @BeforeEach
    void createTable() throws IOException {
        hbase.createTable(TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                .build());
        put("a", "b");
    }

    @AfterEach
    void dropTable() throws IOException {
        if (!hbase.isTableEnabled(name)) {
            hbase.enableTable(name);
        }
        admin.dropIndex(name, INDEX);
        hbase.disableTable(name);
        hbase.deleteTable(name);
        admin.close();
        hbase.close();
    }

    private void put(String... rows) throws IOException {
        try (Table table = connection.getTable(name)) {
            for (String row : rows) {
                Put put = putOf(row, "Oslo");
                table.put(put);
            }
        }
    }

    private void createIndex() throws IOException {
        admin.createIndex(IndexDefinition.builder(name, INDEX)
                .column("f", "city", ColumnTypes.STRING)
                .build());
    }

    private void assertIndexed(String... rows) throws IOException {
        try (IndexedTable table = new IndexedTable(connection, name);
                IndexScanner hits =
                        table.getByIndex(IndexQuery.index(INDEX).equalTo("Oslo").build())) {
            assertThat(hits)
                    .extracting(IndexHit::row)
                    .extracting(Bytes::toString)
                    .containsExactly(rows);
        }
    }

    @Test
    void refusesToTruncateARegion() throws IOException {
        createIndex();
        byte[] region = hbase.getRegions(name).get(0).getRegionName();
        assertThatThrownBy(() -> hbase.truncateRegion(region)).hasMessageContaining("it has the indexes [city]");
        assertIndexed("a", "b");
    }

    @Test
    void refusesToRestoreASnapshotFromBeforeTheIndex() throws IOException {
        String snapshot = "before-" + name;
        hbase.snapshot(snapshot, name);
        createIndex();
        put("c");
        hbase.disableTable(name);
        assertThatThrownBy(() -> hbase.restoreSnapshot(snapshot, false))
                .hasStackTraceContaining("it has the indexes [city]");
        hbase.enableTable(name);
        assertIndexed("a", "b", "c");
        hbase.deleteSnapshot(snapshot);
    }

    @Test
    void refusesToCloneASnapshotOfTheTableOrItsIndex() throws IOException {
        createIndex();
        TableName indexTable = admin.describeIndex(name, INDEX).indexTable();
        for (TableName table : new TableName[] {name, indexTable}) {
            String snapshot = "of-" + table.getQualifierAsString();
            hbase.snapshot(snapshot, table);
            TableName clone = TableName.valueOf("clone-" + table.getQualifierAsString());
            assertThatThrownBy(() -> hbase.cloneSnapshot(snapshot, clone)).hasMessageContaining("Drop the indexes");
            assertThat(hbase.tableExists(clone)).isFalse();
            hbase.deleteSnapshot(snapshot);
        }
        TableName copy = TableName.valueOf("copy-" + name);
        assertThatThrownBy(() -> hbase.cloneTableSchema(name, copy, false))
                .hasMessageContaining("is not the table of this index");
        assertThat(hbase.tableExists(copy)).isFalse();
        assertIndexed("a", "b");
    }

    @Test
    void refusesAnOldDescriptorThatDropsOrRestoresTheIndex() throws IOException {
        TableDescriptor before = hbase.getDescriptor(name);
        createIndex();
        TableDescriptor indexed = hbase.getDescriptor(name);
        assertThatThrownBy(() -> hbase.modifyTable(before)).hasMessageContaining("read the table's descriptor again");
        assertIndexed("a", "b");
        admin.dropIndex(name, INDEX);
        put("c");
        assertThatThrownBy(() -> hbase.modifyTable(indexed)).hasMessageContaining("is not the table of this index");
        createIndex();
        assertThatThrownBy(() -> hbase.modifyTable(indexed)).hasMessageContaining("[city]");
        assertIndexed("a", "b", "c");
    }
}
