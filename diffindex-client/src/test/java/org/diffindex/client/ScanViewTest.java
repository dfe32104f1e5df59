package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.ReadPoint;
import org.diffindex.model.TableIndexes;
import org.junit.jupiter.api.Test;

/** Tests which ranges of an index a scan has read, and at which read points. */
class ScanViewTest {
    private static final IndexDefinition DEFINITION = IndexDefinition.builder(TableName.valueOf("t"), "i")
            .column("f", "q", ColumnTypes.STRING)
            .build();

    private static final KeyRange ALL = new KeyRange(new byte[0], new byte[0]);

    private static final EntryFormat FORMAT = new EntryFormat("");

    private static final FailedReads FAILED =
            new FailedReads(new IndexCatalog(DEFINITION.table(), () -> TableIndexes.NONE), DEFINITION, Optional::empty);

    private final QueryView views =
            new QueryView(QueryBounds.of(IndexQuery.index("i").build(), DEFINITION), FORMAT, FAILED);

    private final ScanView view = views.of(0);

    @Test
    void aRangeWithinARegionIsReadAtOneReadPoint() {
        meet("c1", 7, "c", "f");
        meet("c2", 7, "c", "f");
        assertThat(reads("c", "e", 1)).isEmpty();
        assertThat(reads("", "e", 2)).as("with the region before it").containsExactly("-c:?", "c-e\\x00\\x01:7");
    }

    /** The end of the region was read by a different scanner than its beginning. */
    @Test
    void everythingWasReadBeforeIfAReopenedScannerMetNothing() {
        meet("c1", 7, "c", "f");
        assertThat(reads("c", "e", 2)).containsExactly("c\\x00\\x01-e\\x00\\x01:7");
        assertThat(newView().readBefore(ALL, 1, true)).isEmpty();
        assertThat(newView().readBefore(ALL, 2, true)).hasSize(1);
    }

    /** The query reads another range after this one. */
    @Test
    void everythingWasReadBeforeIfTheQueryReadsOn() {
        assertThat(newView().readBefore(ALL, 1, false)).hasSize(1);
        meet("c1", 7, "c", "f");
        assertThat(texts(view.readBefore(rangeOf("c", "e"), 1, false))).containsExactly("c\\x00\\x01-e\\x00\\x01:7");
    }

    @Test
    void allRegionsButTheLastWereReadBefore() {
        meet("a1", 7, "", "c");
        meet("c2", 3, "c", "f");
        meet("f1", 9, "f", "");
        assertThat(reads("", "", 3)).containsExactly("-c:7", "c-f:3");
        assertThat(reads("b", "g", 3)).containsExactly("b\\x00\\x01-c:7", "c-f:3");
    }

    @Test
    void includesRegionsWithoutAnEntry() {
        meet("a1", 7, "", "c");
        meet("f1", 9, "f", "h");
        assertThat(reads("", "", 4)).containsExactly("-c:7", "c-f:?", "f-h:9", "h-:?");
    }

    @Test
    void aSecondScanOfARegionHasAnotherReadPoint() {
        meet("a1", 7, "", "c");
        meet("a2", 8, "", "c");
        meet("c1", 1, "c", "");
        assertThat(reads("", "", 3)).containsExactly("-a1\\x00:7", "a1\\x00-c:8");
    }

    @Test
    void keysAreComparedAsUnsignedBytes() {
        meet(Result.create(List.of(
                entry("a1"), readPoint(7, new byte[0], new byte[] {0x70}).toCell(Bytes.toBytes("a1")))));
        meet(Result.create(List.of(
                entry("b1"), readPoint(8, new byte[] {(byte) 0x90}, new byte[0]).toCell(Bytes.toBytes("b1")))));
        assertThat(reads("", "", 2)).containsExactly("-p:7", "p-\\x90:?");
    }

    @Test
    void aMergedRegionIsReadFromThePositionOfTheScan() {
        meet("a1", 7, "", "c");
        meet("c2", 3, "c", "f");
        meet("d1", 9, "c2\0", "f");
        meet("f1", 1, "f", "");
        assertThat(reads("", "", 4)).containsExactly("-c:7", "c-c2\\x00:3", "c2\\x00-f:9");
    }

    /** The scan had read the first of them to its end, behind the last key that it met. */
    @Test
    void aRegionThatHasMergedWithOneThatWasReadIsReadFromTheEndOfThatOne() {
        meet("a1", 7, "", "c");
        meet("d1", 9, "c", "");
        assertThat(reads("", "", 2)).containsExactly("-c:7");
    }

    @Test
    void aServerOfAnEarlierVersionTellsTheStartOfTheRegion() {
        meet("a1", 7, "", "c");
        meet("d1", 9, "", "f");
        meet("f1", 1, "f", "");
        assertThat(reads("", "", 3)).containsExactly("-a1\\x00:7", "a1\\x00-f:9");
    }

    @Test
    void withoutReadPointsTheEntriesThatWereMetAreRemembered() throws IOException {
        meet(Result.create(List.of(entry("a1"))));
        meet(Result.create(List.of(entry("c1"))));
        assertThat(reads("", "", 1)).isEmpty();
        assertThat(reads("", "", 3)).containsExactly("-:?");
        Table index = mock(Table.class);
        when(index.get(any(Get.class))).thenReturn(Result.create(List.of(entry("b"))));
        assertThat(views.at(List.of(Bytes.toBytes("a1"), Bytes.toBytes("b")), index))
                .containsOnlyKeys(ByteBuffer.wrap(Bytes.toBytes("a1")));
        assertThat(views.at(List.of(Bytes.toBytes("d")), index)).as("ahead").hasSize(1);
        view.ends();
        assertThat(views.at(List.of(Bytes.toBytes("d")), index)).isEmpty();
    }

    /** What the index holds now is all that is known then. */
    @Test
    void withoutReadPointsNothingIsKnownOfAScanThatIsTooLong() throws IOException {
        for (int i = 0; i <= RememberedRows.MOST; i++) {
            meet(Result.create(List.of(entry("a%05d".formatted(i)))));
        }
        view.ends();
        assertThat(reads("", "", 3)).isEmpty();
        Table index = mock(Table.class);
        when(index.get(any(Get.class))).thenReturn(Result.create(List.of(entry("b"))));
        assertThat(views.at(List.of(Bytes.toBytes("b")), index)).hasSize(1);
    }

    /**
     * In a region that the scan has passed without meeting anything, it sees nothing, whatever the region holds now.
     */
    @Test
    void theEndKeyOfARegionIsExclusive() throws IOException {
        meet("a1", 7, "", "c");
        Table index = mock(Table.class);
        when(index.get(any(Get.class))).thenReturn(Result.create(List.of(entry("b"))));
        view.ends();
        assertThat(views.at(List.of(Bytes.toBytes("b")), index)).hasSize(1);
        assertThat(views.at(List.of(Bytes.toBytes("c")), index)).isEmpty();
    }

    private static ScanView newView() {
        return new ForwardView(FORMAT, new UntoldEntries());
    }

    private static KeyRange rangeOf(String start, String stop) {
        IndexQuery.Builder query = IndexQuery.index("i");
        if (!start.isEmpty()) {
            query.from(start);
        }
        if (!stop.isEmpty()) {
            query.to(stop);
        }
        return QueryBounds.of(query.build(), DEFINITION).ranges().get(0);
    }

    private List<String> reads(String start, String stop, int opened) {
        return texts(view.readBefore(rangeOf(start, stop), opened, true));
    }

    private static List<String> texts(List<ScanView.Read> reads) {
        return reads.stream()
                .map(read -> Bytes.toStringBinary(read.start()) + "-" + Bytes.toStringBinary(read.stop()) + ":"
                        + (read.point().isPresent() ? read.point().getAsLong() : "?"))
                .toList();
    }

    private static Cell entry(String key) {
        return FORMAT.put(new IndexEntry(Bytes.toBytes(key), 1), 1)
                .getFamilyCellMap()
                .get(EntryFormat.FAMILY)
                .get(0);
    }

    private void meet(Result row) {
        view.met(row, new FoundEntry(FORMAT.entryOf(row), FORMAT.stampOf(row), false));
    }

    private void meet(String key, long point, String start, String regionEnd) {
        Cell cell = entry(key);
        ReadPoint readPoint = readPoint(point, Bytes.toBytes(start), Bytes.toBytes(regionEnd));
        meet(Result.create(List.of(cell, readPoint.toCell(CellUtil.cloneRow(cell)))));
    }

    private static ReadPoint readPoint(long point, byte[] start, byte[] regionEnd) {
        return new ReadPoint(point, ByteBuffer.wrap(start), ByteBuffer.wrap(regionEnd));
    }
}
