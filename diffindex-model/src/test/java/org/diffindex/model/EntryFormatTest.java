package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** Tests that entries are read as they were written, and that their format does not change. */
class EntryFormatTest {
    private static final EntryFormat FORMAT = new EntryFormat("5f3a9c01");
    private static final IndexEntry ENTRY = new IndexEntry(new byte[] {0, 1, (byte) 0xFF}, 1000);

    private static Result stored(Put put) {
        return Result.create(put.get(EntryFormat.FAMILY, EntryFormat.QUALIFIER));
    }

    @Test
    void anEntryWhoseStampIsItsTimestampHasNoValue() {
        Result row = stored(FORMAT.put(ENTRY, 1000));
        assertThat(row.value()).isEmpty();
        assertThat(FORMAT.entryOf(row)).isEqualTo(ENTRY);
        assertThat(FORMAT.stampOf(row)).isEqualTo(1000);
    }

    @Test
    void anEntryWithALaterStampKeepsItsTimestamp() {
        Result row = stored(FORMAT.put(ENTRY, 5000));
        assertThat(FORMAT.entryOf(row)).isEqualTo(ENTRY);
        assertThat(FORMAT.stampOf(row)).isEqualTo(5000);
    }

    @Test
    void aDeleteHidesEveryStampUpToItsOwn() {
        Delete delete = FORMAT.delete(ENTRY.key(), 5000);
        Cell cell = delete.getFamilyCellMap().firstEntry().getValue().get(0);
        assertThat(delete.getRow()).isEqualTo(ENTRY.key());
        assertThat(cell.getType()).isEqualTo(Cell.Type.DeleteColumn);
        assertThat(cell.getTimestamp()).isEqualTo(5000);
        assertThat(CellUtil.matchingColumn(cell, EntryFormat.FAMILY, EntryFormat.QUALIFIER))
                .isTrue();
    }

    @Test
    void aDeleteMayBeRestrictedToOneRegion() {
        Delete delete = FORMAT.delete(ENTRY.key(), 5000);
        assertThat(IndexAddress.regionOf(delete)).isEmpty();
        IndexAddress.onlyIn(delete, "0123abcd");
        assertThat(IndexAddress.regionOf(delete)).contains("0123abcd");
        IndexAddress.onlyIn(delete, null);
        assertThat(IndexAddress.regionOf(delete)).isEmpty();
    }

    @Test
    void eachWriteAndReadIsAddressedToTheIndex() {
        byte[] id = Bytes.toBytes("5f3a9c01");
        assertThat(List.of(FORMAT.put(ENTRY, 1), FORMAT.delete(ENTRY.key(), 1), FORMAT.deleteExactly(ENTRY.key(), 1)))
                .allSatisfy(write -> assertThat(write.getAttribute(IndexAddress.WRITER_ATTRIBUTE))
                        .isEqualTo(id));
        assertThat(List.of(FORMAT.get(ENTRY.key()), FORMAT.scan(), FORMAT.scanEntries()))
                .allSatisfy(read -> assertThat(read.getAttribute(IndexAddress.READER_ATTRIBUTE))
                        .isEqualTo(id));
    }

    @Test
    void theFormatOfAnEntryDoesNotChange() {
        Cell cell = FORMAT.put(ENTRY, 5000).get(Bytes.toBytes("i"), new byte[0]).get(0);
        assertThat(cell.getType()).isEqualTo(Cell.Type.Put);
        assertThat(cell.getTimestamp()).isEqualTo(5000);
        assertThat(CellUtil.cloneRow(cell)).isEqualTo(ENTRY.key());
        assertThat(CellUtil.cloneValue(cell)).containsExactly(0, 0, 0, 0, 0, 0, 3, 0xE8);
        assertThat(EntryFormat.toBytes(ENTRY)).containsExactly(0, 0, 0, 0, 0, 0, 3, 0xE8, 0, 1, 0xFF);
    }

    @Test
    void readsButDoesNotDecodeAnEntryWithAnInvalidValue() {
        Cell cell = new KeyValue(ENTRY.key(), EntryFormat.FAMILY, EntryFormat.QUALIFIER, 1000, new byte[3]);
        assertThat(FORMAT.isOfEntry(cell)).isTrue();
        assertThat(FORMAT.decode(cell)).isEmpty();
        assertThat(FORMAT.entryOf(Result.create(List.of(cell)))).isEqualTo(ENTRY);
    }

    private static final IncludedColumns INCLUDED = new IncludedColumns(IndexedColumn.parseList("f:gate"));
    private static final EntryFormat COVERING = new EntryFormat("5f3a9c01", "", INCLUDED);
    private static final IndexEntry ENTRY_AND_GATE =
            new IndexEntry(ENTRY.key(), ENTRY.timestamp(), new byte[] {0, 0, 0, 1, 'B'});

    /** One cell: no order in which puts arrive combines two states of a row. */
    @Test
    void anEntryThatIncludesValuesIsOneCellToo() {
        for (long stamp : List.of(1000L, 5000L)) {
            Put put = COVERING.put(ENTRY_AND_GATE, stamp);
            assertThat(put.size()).isEqualTo(1);
            Cell cell = put.get(Bytes.toBytes("i"), new byte[0]).get(0);
            assertThat(cell.getTimestamp()).isEqualTo(stamp);
            assertThat(CellUtil.cloneValue(cell)).containsExactly(0, 0, 0, 0, 0, 0, 3, 0xE8, 0, 0, 0, 1, 'B');
            assertThat(COVERING.decode(cell)).contains(ENTRY_AND_GATE);
            assertThat(COVERING.entryOf(stored(put))).isEqualTo(ENTRY_AND_GATE);
        }
    }

    @Test
    void aCellWithoutTheIncludedValuesIsReadButNotDecoded() {
        for (byte[] value : List.of(new byte[0], new byte[3], new byte[8], new byte[11], new byte[13])) {
            Cell cell = new KeyValue(ENTRY.key(), EntryFormat.FAMILY, EntryFormat.QUALIFIER, 1000, value);
            assertThat(COVERING.decode(cell)).as("%d bytes", value.length).isEmpty();
            IndexEntry read = COVERING.entryOf(Result.create(List.of(cell)));
            assertThat(read).isEqualTo(ENTRY);
            assertThat(INCLUDED.decode(read.included())).isEmpty();
        }
        assertThat(FORMAT.decode(COVERING.put(ENTRY_AND_GATE, 1000)
                        .get(Bytes.toBytes("i"), new byte[0])
                        .get(0)))
                .as("in an index that includes nothing")
                .isEmpty();
    }

    @Test
    void deletesExactlyAStrayCell() {
        byte[] other = Bytes.toBytes("x");
        Cell stray = new KeyValue(ENTRY.key(), EntryFormat.FAMILY, other, 7, other);
        assertThat(FORMAT.isOfEntry(stray)).isFalse();
        Delete delete = FORMAT.deleteExactly(stray);
        Cell cell = delete.getFamilyCellMap().firstEntry().getValue().get(0);
        assertThat(cell.getType()).isEqualTo(Cell.Type.Delete);
        assertThat(cell.getTimestamp()).isEqualTo(7);
        assertThat(CellUtil.matchingColumn(cell, EntryFormat.FAMILY, other)).isTrue();
    }

    @Test
    void aResultForASessionCarriesItsChanges() {
        byte[] row = Bytes.toBytes("r");
        List<SessionChange> changes = List.of(
                SessionChange.entry(index("by_title"), row, 5000, ENTRY, 5001),
                SessionChange.noEntry(index("by_price"), row, 4999));

        List<SessionChange> read = SessionChange.of(SessionChange.toResult(changes));

        assertThat(read)
                .extracting(SessionChange::toString)
                .containsExactlyInAnyOrderElementsOf(
                        changes.stream().map(SessionChange::toString).toList());
        assertThat(read)
                .filteredOn(change -> change.index().equals("by_title"))
                .singleElement()
                .satisfies(change -> {
                    assertThat(change.indexId()).isEqualTo("id of by_title");
                    assertThat(change.row()).isEqualTo(row);
                    assertThat(change.since()).isEqualTo(5000);
                    assertThat(change.entry()).contains(ENTRY);
                    assertThat(change.stamp()).isEqualTo(5001);
                });
        assertThat(SessionChange.of(Result.EMPTY_RESULT)).isEmpty();
    }

    private static IndexDefinition index(String name) {
        return IndexDefinition.builder(TableName.valueOf("t"), name)
                .column("f", "v", ColumnTypes.STRING)
                .build()
                .withId("id of " + name);
    }
}
