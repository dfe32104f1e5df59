package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.TableIndexes;
import org.junit.jupiter.api.Test;

/** Tests what the scans of the values of an IN remember together, if servers tell no read points. */
class QueryViewTest {
    private static final IndexDefinition DEFINITION = IndexDefinition.builder(TableName.valueOf("t"), "i")
            .column("f", "q", ColumnTypes.STRING)
            .build();

    private static final EntryFormat FORMAT = new EntryFormat("");

    private static final FailedReads FAILED =
            new FailedReads(new IndexCatalog(DEFINITION.table(), () -> TableIndexes.NONE), DEFINITION, Optional::empty);

    private final QueryBounds bounds =
            QueryBounds.of(IndexQuery.index("i").in("a", "b").build(), DEFINITION);

    @Test
    void theScansOfAllRangesRememberAsManyEntriesAsOne() {
        QueryView view = new QueryView(bounds, FORMAT, FAILED, new UntoldEntries(3));
        meet(view.of(0), "a\0\1", 2, 1);
        meet(view.of(1), "b\0\1", 2, 1);
        assertRemembersTheFirstRangeOnly(view);
    }

    @Test
    void theScansOfAllRangesRememberAsManyBytesAsOne() {
        QueryView view = new QueryView(bounds, FORMAT, FAILED);
        int length = 20_000;
        int most = (int) (RememberedRows.MOST_BYTES / length);
        meet(view.of(0), "a\0\1", most - 1, length);
        meet(view.of(1), "b\0\1", most - 1, length);
        assertRemembersTheFirstRangeOnly(view);
    }

    /** A scan that does not remember all that it has met looks at nothing again. */
    private void assertRemembersTheFirstRangeOnly(QueryView view) {
        assertThat(view.of(0).readBefore(bounds.ranges().get(0), 2, true)).hasSize(1);
        assertThat(view.of(1).readBefore(bounds.ranges().get(1), 2, true)).isEmpty();
    }

    private static void meet(ScanView scan, String beginning, int entries, int length) {
        for (int i = 0; i < entries; i++) {
            byte[] key = Bytes.toBytes(beginning + "%05d".formatted(i) + "x".repeat(length));
            Cell cell = FORMAT.put(new IndexEntry(key, 1), 1)
                    .getFamilyCellMap()
                    .get(EntryFormat.FAMILY)
                    .get(0);
            Result row = Result.create(List.of(cell));
            scan.met(row, new FoundEntry(FORMAT.entryOf(row), FORMAT.stampOf(row), false));
        }
    }
}
