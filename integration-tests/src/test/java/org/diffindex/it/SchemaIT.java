package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.putOf;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.NoSuchIndexException;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
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
        admin.createIndex(index());
    }

    private IndexDefinition index() {
        return IndexDefinition.builder(name, INDEX)
                .column("f", "city", ColumnTypes.STRING)
                .build();
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
    void refusesToRestoreASnapshotFromBeforeTheIndex() throws IOException {
        String snapshot = "before-" + name;
        hbase.snapshot(snapshot, name);
        createIndex();
        put("c");
        hbase.disableTable(name);
        assertThatThrownBy(() -> hbase.restoreSnapshot(snapshot, false))
                .hasStackTraceContaining("the table had the indexes [] then");
        hbase.enableTable(name);
        assertIndexed("a", "b", "c");
        hbase.deleteSnapshot(snapshot);
    }

    @Test
    void refusesATableOfACopiedDescriptor() throws IOException {
        createIndex();
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

    /**
     * Returns an administrator of indexes during whose first change of the base table a column family is added to it:
     * after the descriptor was read, and before the change arrives.
     */
    private DiffIndexAdmin changedBesides(String family) throws IOException {
        AtomicBoolean isAdded = new AtomicBoolean();
        Admin late = mock(Admin.class, delegatesTo(hbase));
        doAnswer(call -> {
                    TableDescriptor changed = call.getArgument(0);
                    if (changed.getTableName().equals(name) && isAdded.compareAndSet(false, true)) {
                        hbase.addColumnFamily(name, ColumnFamilyDescriptorBuilder.of(family));
                    }
                    hbase.modifyTable(changed);
                    return null;
                })
                .when(late)
                .modifyTable(any(TableDescriptor.class));
        Connection of = mock(Connection.class, delegatesTo(connection));
        doReturn(late).when(of).getAdmin();
        return new DiffIndexAdmin(of);
    }

    @Test
    void keepsFamiliesThatAreAddedWhileTheIndexIsCreatedAndDropped() throws IOException {
        changedBesides("g").createIndex(index());
        assertIndexed("a", "b");
        changedBesides("h").dropIndex(name, INDEX);
        assertThat(hbase.getDescriptor(name).getColumnFamilyNames())
                .extracting(Bytes::toString)
                .containsExactly("f", "g", "h");
        assertThat(hbase.getDescriptor(name)).isEqualTo(IndexDefinitions.withoutAny(hbase.getDescriptor(name)));
        createIndex();
        assertIndexed("a", "b");
    }

    @Test
    void hbaseSaysThatATableDoesNotExist() throws IOException {
        createIndex();
        TableDescriptor missing = TableDescriptorBuilder.newBuilder(TableName.valueOf("missing-" + name))
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                .build();
        assertThatThrownBy(() -> hbase.modifyTable(missing)).isInstanceOf(TableNotFoundException.class);
    }

    /** Creates an admin whose client dies in a drop when nothing but the index table is left of the index. */
    private DiffIndexAdmin dyingBeforeTheTableIsDisabled() throws IOException {
        Admin dying = mock(Admin.class, delegatesTo(hbase));
        doThrow(new IOException("the client died")).when(dying).disableTable(any());
        Connection of = mock(Connection.class, delegatesTo(connection));
        doReturn(dying).when(of).getAdmin();
        return new DiffIndexAdmin(of);
    }

    private static void assertNotRead(IndexedTable table) {
        assertThatThrownBy(() -> {
                    try (IndexScanner hits = table.getByIndex(
                            IndexQuery.index(INDEX).equalTo("Oslo").build())) {
                        hits.next();
                    }
                })
                .isInstanceOf(NoSuchIndexException.class);
    }

    /** The index table is still enabled, and belongs to the index whose definition the reader knows. */
    @Test
    void doesNotReadAnIndexThatWritesNoLongerMaintain() throws IOException {
        createIndex();
        try (IndexedTable reader = new IndexedTable(connection, name)) {
            assertThat(reader.getIndex(INDEX).name()).isEqualTo(INDEX);
            DiffIndexAdmin dying = dyingBeforeTheTableIsDisabled();
            assertThatThrownBy(() -> dying.dropIndex(name, INDEX)).hasMessageContaining("the client died");
            assertThat(admin.listIndexes(name)).isEmpty();
            put("c");
            assertNotRead(reader);
            createIndex();
            assertIndexed("a", "b", "c");
        }
    }

    @Test
    void anIndexWhoseDropHasBegunIsMaintainedButNotRead() throws IOException {
        createIndex();
        TableName indexTable = admin.describeIndex(name, INDEX).indexTable();
        TableDescriptor before = hbase.getDescriptor(indexTable);
        try (IndexedTable reader = new IndexedTable(connection, name)) {
            assertThat(reader.getIndex(INDEX).name()).isEqualTo(INDEX);
            hbase.modifyTable(IndexDefinitions.withState(before, IndexState.DROPPING));
            put("c");
            assertThat(rowsOf(indexTable)).isEqualTo(3);
            assertNotRead(reader);
            assertNotRead(reader);
        }
        assertThatThrownBy(() -> hbase.modifyTable(before))
                .hasMessageContaining("would become ACTIVE, and is DROPPING");
        assertThatThrownBy(this::createIndex).hasMessageContaining("its drop was interrupted");
        admin.dropIndex(name, INDEX);
        createIndex();
        assertIndexed("a", "b", "c");
    }

    /** Counts rows without naming an index, as HBase's own tools do. */
    private int rowsOf(TableName indexTable) throws IOException {
        int rows = 0;
        try (Table table = connection.getTable(indexTable);
                ResultScanner results = table.getScanner(new Scan())) {
            for (Result unused : results) {
                rows++;
            }
        }
        return rows;
    }
}
