package org.diffindex.server.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDelta;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;

/** Tests the stamps of entries. */
class IndexUpdateTest {
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.SYNC_FULL);

    @Test
    void deletesTheOldEntryJustBeforeTheFirstStamp() {
        IndexUpdate delete = only(new IndexDelta(Optional.empty(), Optional.of(entry("ORD", 100))), 200, 203);
        assertThat(delete.isPut()).isFalse();
        assertThat(cellOf(delete).getTimestamp()).isEqualTo(199);
        assertThat(cellOf(delete).getType()).isEqualTo(Cell.Type.DeleteColumn);
        assertThat(delete.mutation().getRow()).isEqualTo(Bytes.toBytes("ORD"));
    }

    @Test
    void putsTheNewEntryOfAWriteWithTheServersTimestampAtThatTimestamp() {
        IndexUpdate put = only(IndexDelta.insertOnly(Optional.of(entry("ORD", 202))), 200, 203);
        assertThat(cellOf(put).getTimestamp()).isEqualTo(202);
        assertThat(cellOf(put).getValueLength()).isZero();
    }

    @Test
    void putsTheNewEntryOfAnyOtherWriteAtTheLastStampWithItsTimestampAsValue() {
        for (long timestamp : List.of(1L, 199L, 204L, Long.MAX_VALUE - 1)) {
            IndexUpdate put = only(IndexDelta.insertOnly(Optional.of(entry("ORD", timestamp))), 200, 203);
            assertThat(cellOf(put).getTimestamp()).isEqualTo(203);
            assertThat(Bytes.toLong(CellUtil.cloneValue(cellOf(put)))).isEqualTo(timestamp);
        }
    }

    @Test
    void indexWritesHaveHighPriority() {
        IndexDelta both = new IndexDelta(Optional.of(entry("LAX", 200)), Optional.of(entry("ORD", 100)));
        assertThat(IndexUpdate.of(INDEX, both, 200, 200))
                .hasSize(2)
                .allSatisfy(
                        update -> assertThat(update.mutation().getPriority()).isEqualTo(HConstants.HIGH_QOS))
                .allSatisfy(update -> assertThat(update.heapSize()).isPositive());
    }

    private static IndexUpdate only(IndexDelta delta, long firstStamp, long lastStamp) {
        List<IndexUpdate> updates = IndexUpdate.of(INDEX, delta, firstStamp, lastStamp);
        assertThat(updates).hasSize(1);
        return updates.get(0);
    }

    private static IndexEntry entry(String key, long timestamp) {
        return new IndexEntry(Bytes.toBytes(key), timestamp);
    }

    private static Cell cellOf(IndexUpdate update) {
        return update.mutation().getFamilyCellMap().values().iterator().next().get(0);
    }
}
