package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.hbase.Cell;
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

/**
 * Tests which ranges of an index a scan in reverse has read, and at which read points. A scanner that is opened at the start
 * of a region, or behind a key, exclusively, is told the first key after that one.
 */
class ReverseViewTest {
    private static final IndexDefinition DEFINITION = IndexDefinition.builder(TableName.valueOf("t"), "i")
            .column("f", "q", ColumnTypes.STRING)
            .build();

    private static final EntryFormat FORMAT = new EntryFormat("");

    private static final FailedReads FAILED =
            new FailedReads(new IndexCatalog(DEFINITION.table(), () -> TableIndexes.NONE), DEFINITION, Optional::empty);

    private final QueryView views =
            new QueryView(QueryBounds.of(IndexQuery.index("i").reverse().build(), DEFINITION), FORMAT, FAILED);

    private final ScanView view = views.of(0);

    private static ScanView newView() {
        return new ReverseView(FORMAT, new UntoldEntries());
    }

    @Test
    void aRangeWithinARegionIsReadAtOneReadPoint() {
        meet("d1", 7, "e\0", "f");
        meet("c1", 7, "e\0", "f");
        assertThat(reads("c", "e", 1)).isEmpty();
        assertThat(reads("a", "e", 2)).as("with the region before it").containsExactly("c1-e:7", "a-c1:?");
    }

    @Test
    void everythingWasReadBeforeIfAScannerMetNothingOrTheQueryReadsOn() {
        assertThat(newView().readBefore(range("a", "e"), 1, true)).isEmpty();
        assertThat(newView().readBefore(range("a", "e"), 2, true)).hasSize(1);
        assertThat(newView().readBefore(range("a", "e"), 1, false)).hasSize(1);
        meet("c1", 7, "e\0", "f");
        assertThat(texts(view.readBefore(range("c", "e"), 1, false)))
                .as("by the one scanner down to the start of the range")
                .containsExactly("c-e:7");
        assertThat(texts(view.readBefore(range("c", "e"), 2, false))).containsExactly("c1-e:7", "c-c1:?");
    }

    @Test
    void allRegionsButTheLastWereReadBefore() {
        meet("g1", 9, "", "");
        meet("d1", 3, "f\0", "f");
        meet("a1", 7, "c\0", "c");
        assertThat(reads("", "", 3)).containsExactly("g1-:9", "f-g1:?", "d1-f:3", "c-d1:?");
    }

    @Test
    void includesRegionsWithoutAnEntry() {
        meet("g1", 9, "", "");
        meet("a1", 7, "c\0", "c");
        assertThat(reads("", "", 4)).containsExactly("g1-:9", "c-g1:?", "a1-c:7", "-a1:?");
    }

    @Test
    void aSecondScannerOfARegionHasAnotherReadPoint() {
        meet("b2", 7, "", "c");
        meet("b1", 8, "b2\0", "c");
        meet("a1", 8, "b2\0", "c");
        assertThat(reads("", "c", 2)).containsExactly("b2-c:7");
    }

    /** The region of the second scanner has merged with the one that was read before: what lies in between was read then. */
    @Test
    void aRegionThatHasMergedWithOneThatWasReadIsReadFromTheStartOfThatOne() throws IOException {
        meet("d1", 7, "", "");
        meet("a1", 9, "c\0", "");
        assertThat(reads("", "", 2)).containsExactly("d1-:7", "c-d1:?");
        assertThat(seen("c5")).as("in between the scan has met nothing").isFalse();
        assertThat(seen("b")).isTrue();
    }

    /** It tells the start of the region, which is no position of a scan in reverse. */
    @Test
    void aServerOfAnEarlierVersionTellsTheStartOfTheRegion() {
        meet("d1", 7, "c", "");
        meet("a1", 9, "", "c");
        assertThat(reads("", "", 2)).containsExactly("d1-:7", "c-d1:?");
    }

    @Test
    void seesWhatLiesAheadAsItIsNow() throws IOException {
        assertThat(asked("a")).isEqualTo(OptionalLong.empty());
        meet("d2", 7, "", "f");
        meet("d1", 7, "", "f");
        assertThat(asked("d1")).hasValue(7);
        assertThat(asked("e")).hasValue(7);
        assertThat(asked("c")).isEqualTo(OptionalLong.empty());
        view.ends();
        assertThat(seen("c")).as("the scan is over").isFalse();
        assertThat(asked("d2")).hasValue(7);
    }

    @Test
    void withoutReadPointsTheEntriesThatWereMetAreRemembered() throws IOException {
        meet(Result.create(List.of(entry("c1"))));
        meet(Result.create(List.of(entry("a1"))));
        assertThat(reads("", "", 1)).isEmpty();
        assertThat(reads("", "", 3)).containsExactly("-:?");
        assertThat(seen("b")).isFalse();
        assertThat(views.at(List.of(Bytes.toBytes("c1")), mock(Table.class))).hasSize(1);
        assertThat(seen("0")).as("ahead").isTrue();
        view.ends();
        assertThat(seen("0")).isFalse();
    }

    private boolean seen(String key) throws IOException {
        return !gets(key).isEmpty();
    }

    /** Returns the read point as of which the index is asked for a key. */
    private OptionalLong asked(String key) throws IOException {
        List<Get> gets = gets(key);
        assertThat(gets).hasSize(1);
        return ReadPoint.of(gets.get(0));
    }

    private List<Get> gets(String key) throws IOException {
        List<Get> gets = new ArrayList<>();
        Table index = mock(Table.class);
        when(index.get(any(Get.class))).thenAnswer(call -> {
            gets.add(call.getArgument(0));
            return Result.EMPTY_RESULT;
        });
        assertThat(views.at(List.of(Bytes.toBytes(key)), index)).isEmpty();
        return gets;
    }

    private static KeyRange range(String start, String stop) {
        return new KeyRange(Bytes.toBytes(start), Bytes.toBytes(stop));
    }

    private List<String> reads(String start, String stop, int opened) {
        return texts(view.readBefore(range(start, stop), opened, true));
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
        ReadPoint readPoint =
                new ReadPoint(point, ByteBuffer.wrap(Bytes.toBytes(start)), ByteBuffer.wrap(Bytes.toBytes(regionEnd)));
        meet(Result.create(List.of(entry(key), readPoint.toCell(Bytes.toBytes(key)))));
    }
}
