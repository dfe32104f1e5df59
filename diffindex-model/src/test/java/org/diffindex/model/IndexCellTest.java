package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class IndexCellTest {
    private static final IndexEntry ENTRY = new IndexEntry(new byte[] {0, 1, (byte) 0xFF}, 1000);

    private static Result stored(Put put) {
        return Result.create(put.get(IndexCell.FAMILY, IndexCell.QUALIFIER));
    }

    @Test
    void anEntryAtItsOwnTimeNeedsNoValue() {
        Result row = stored(IndexCell.put(ENTRY, 1000));
        assertThat(row.value()).isEmpty();
        assertThat(IndexCell.entryOf(row)).isEqualTo(ENTRY);
        assertThat(IndexCell.stampOf(row)).isEqualTo(1000);
    }

    @Test
    void anEntryAtALaterStampKeepsItsTime() {
        Result row = stored(IndexCell.put(ENTRY, 5000));
        assertThat(IndexCell.entryOf(row)).isEqualTo(ENTRY);
        assertThat(IndexCell.stampOf(row)).isEqualTo(5000);
    }

    @Test
    void aDeleteHidesEveryStampUpToItsOwn() {
        Delete delete = IndexCell.delete(ENTRY.key(), 5000);
        Cell cell = delete.getFamilyCellMap().firstEntry().getValue().get(0);
        assertThat(delete.getRow()).isEqualTo(ENTRY.key());
        assertThat(cell.getType()).isEqualTo(Cell.Type.DeleteColumn);
        assertThat(cell.getTimestamp()).isEqualTo(5000);
        assertThat(CellUtil.matchingColumn(cell, IndexCell.FAMILY, IndexCell.QUALIFIER))
                .isTrue();
    }

    @Test
    void aDeleteMayBeForOneRegionAlone() {
        Delete delete = IndexCell.delete(ENTRY.key(), 5000);
        assertThat(IndexCell.regionOf(delete)).isEmpty();
        IndexCell.onlyIn(delete, "0123abcd");
        assertThat(IndexCell.regionOf(delete)).contains("0123abcd");
        IndexCell.onlyIn(delete, null);
        assertThat(IndexCell.regionOf(delete)).isEmpty();
    }

    @Test
    void theIndexsOwnWritesAreMarked() {
        assertThat(IndexCell.put(ENTRY, 1).getAttribute(IndexCell.WRITER_ATTRIBUTE))
                .isNotNull();
        assertThat(IndexCell.delete(ENTRY.key(), 1).getAttribute(IndexCell.WRITER_ATTRIBUTE))
                .isNotNull();
    }

    @Test
    void theAnswerToASessionGivesBackItsChanges() {
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
