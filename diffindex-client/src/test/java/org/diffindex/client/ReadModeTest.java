package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSchemeChangedException;
import org.junit.jupiter.api.Test;

/** Tests that a client which knows another scheme than the present one is right nevertheless. */
class ReadModeTest {
    private static final TableName TABLE = TableName.valueOf("t");
    private static final IndexQuery ALL = IndexQuery.index("by_v").caching(1).build();

    private FakeHBase hbase;

    private IndexedTable table(IndexScheme scheme) throws IOException {
        hbase = new FakeHBase(IndexDefinition.builder(TABLE, "by_v")
                .column("f", "v", ColumnTypes.STRING)
                .scheme(scheme)
                .build());
        hbase.regionStarts.add(Bytes.toBytes("m"));
        return new IndexedTable(hbase.connection, TABLE);
    }

    private void put(String row, String value) {
        hbase.write(new Put(Bytes.toBytes(row)).addColumn(FakeHBase.F, Bytes.toBytes("v"), Bytes.toBytes(value)));
    }

    /** Puts an entry that its row does not yield. */
    private void leaveStale(String row, String value) {
        byte[] key = Bytes.toBytes(value + "\0\1" + row);
        hbase.deliver(hbase.definition.entryFormat().put(new IndexEntry(key, 1), 1));
    }

    private long scans() {
        return hbase.calls.stream().filter(call -> call.startsWith("scan")).count();
    }

    private static List<String> rows(IndexedTable table, IndexQuery query) throws IOException {
        List<String> rows = new ArrayList<>();
        try (IndexScanner hits = table.getByIndex(query)) {
            hits.forEach(hit -> rows.add(Bytes.toString(hit.row())));
        }
        return rows;
    }

    @Test
    void aReaderThatIsRefusedChecksItsEntriesAndSoDoTheNext() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        put("r1", "a");
        put("r2", "z");
        assertThat(rows(table, ALL)).containsExactly("r1", "r2");
        hbase.demanded = IndexScheme.SYNC_INSERT;
        leaveStale("r1", "x");
        hbase.calls.clear();
        assertThat(rows(table, ALL)).containsExactly("r1", "r2");
        assertThat(scans()).as("one that is refused, one, and its second look").isEqualTo(3);
        hbase.calls.clear();
        assertThat(rows(table, ALL)).containsExactly("r1", "r2");
        assertThat(scans()).as("one, and its second look").isEqualTo(2);
        assertThat(table.getIndex("by_v").scheme()).as("as it is defined").isEqualTo(IndexScheme.SYNC_FULL);
    }

    @Test
    void aLimitIsKeptByAReaderThatIsRefused() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        leaveStale("r1", "a");
        put("r1", "b");
        put("r2", "z");
        hbase.demanded = IndexScheme.SYNC_INSERT;
        assertThat(rows(table, IndexQuery.index("by_v").limit(1).build())).containsExactly("r1");
    }

    /** What it has returned was right when it was read. */
    @Test
    void aReaderThatIsRefusedInTheMiddleGoesOnAndChecksTheRest() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        put("r1", "a");
        put("r2", "b");
        put("r3", "y");
        hbase.beforeRegion.put("m", () -> {
            hbase.demanded = IndexScheme.SYNC_INSERT;
            hbase.maintained = IndexScheme.SYNC_INSERT;
            put("r3", "z");
            leaveStale("r1", "x");
        });
        assertThat(rows(table, ALL)).containsExactly("r1", "r2", "r3");
    }

    /** Its index has every acknowledged write now: a row that moves during the scan is found. */
    @Test
    void aReaderThatKnewAnAsynchronousIndexLooksTwice() throws IOException {
        IndexedTable table = table(IndexScheme.ASYNC_SIMPLE);
        put("r1", "a");
        put("r2", "z");
        hbase.deliverAll();
        hbase.demanded = IndexScheme.SYNC_FULL;
        hbase.maintained = IndexScheme.SYNC_FULL;
        hbase.beforeRegion.put("m", () -> put("r2", "b"));
        assertThat(rows(table, ALL)).containsExactlyInAnyOrder("r1", "r2");
    }

    /** A scan that began before the change was complete is one of the old scheme, but returns no stale entry. */
    @Test
    void aReaderOfAnAsynchronousIndexThatIsRefusedInTheMiddleChecksTheRest() throws IOException {
        IndexedTable table = table(IndexScheme.ASYNC_SESSION);
        put("r1", "a");
        put("r2", "z");
        hbase.deliverAll();
        hbase.beforeRegion.put("m", () -> {
            hbase.demanded = IndexScheme.SYNC_INSERT;
            leaveStale("r1", "x");
        });
        assertThat(rows(table, ALL)).containsExactly("r1", "r2");
    }

    /** An entry that it finds then is checked, too, and returned once. */
    @Test
    void aReaderThatIsRefusedAtItsSecondLookGoesOnWithIt() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        put("r1", "a");
        put("r2", "y");
        put("r3", "z");
        hbase.beforeRegion.put("m", () -> {
            put("r2", "b");
            put("r3", "c");
            hbase.beforeRegion.put("", () -> {
                hbase.demanded = IndexScheme.SYNC_INSERT;
                leaveStale("r1", "d");
            });
        });
        assertThat(rows(table, ALL)).containsExactly("r1", "r2", "r3");
    }

    @Test
    void aReaderByAnyScheme() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        FailedReads failed = new FailedReads(table.catalog(), table.getIndex("by_v"), Optional::empty);
        ReadMode mode = new ReadMode(IndexScheme.ASYNC_SIMPLE, failed);
        IOException other = new IOException("slow");
        assertThat(mode.isChangedBy(other, false)).isFalse();
        assertThat(mode.checksAll() || mode.looksTwice()).isFalse();
        IOException refusal = new IndexSchemeChangedException("Nothing was read", IndexScheme.SYNC_FULL);
        assertThat(mode.isChangedBy(refusal, true)).isTrue();
        assertThat(mode.checksAll()).isTrue();
        assertThat(mode.looksTwice()).as("of a scan that has begun").isFalse();
        assertThat(mode.isChangedBy(refusal, true)).as("it names no scheme").isFalse();
        assertThatThrownBy(() -> {
                    throw failed.exceptionFor(refusal);
                })
                .isSameAs(refusal);
    }
}
