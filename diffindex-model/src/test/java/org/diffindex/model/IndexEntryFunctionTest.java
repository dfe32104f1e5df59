package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class IndexEntryFunctionTest {
    private static final byte[] ROW = Bytes.toBytes("row");

    private final IndexEntryFunction function =
            new IndexEntryFunction(IndexDefinition.builder(TableName.valueOf("flights"), "by_origin_delay")
                    .column("f", "origin", ColumnTypes.STRING)
                    .column("f", "delay", ColumnTypes.INT)
                    .build());

    private static Cell cell(String family, String qualifier, long timestamp, byte[] value) {
        return new KeyValue(ROW, Bytes.toBytes(family), Bytes.toBytes(qualifier), timestamp, value);
    }

    private static Cell origin(long timestamp, String value) {
        return cell("f", "origin", timestamp, Bytes.toBytes(value));
    }

    private static Cell delay(long timestamp, int value) {
        return cell("f", "delay", timestamp, Bytes.toBytes(value));
    }

    @Test
    void anEntryHoldsTheValuesTheRowAndTheNewestTimestamp() {
        List<Cell> cells = List.of(
                delay(20, -3), cell("g", "origin", 90, Bytes.toBytes("x")), origin(10, "ORD"), origin(5, "LAX"));

        IndexEntry entry = function.entryOf(ROW, cells).orElseThrow();

        IndexKeyCodec.Key key = function.codec().decode(entry.key());
        assertThat(key.values()).containsExactly(Bytes.toBytes("ORD"), Bytes.toBytes(-3));
        assertThat(key.row()).isEqualTo(ROW);
        assertThat(entry.timestamp()).isEqualTo(20);
    }

    private final IndexEntryFunction covering =
            new IndexEntryFunction(IndexDefinition.builder(TableName.valueOf("flights"), "by_origin")
                    .column("f", "origin", ColumnTypes.STRING)
                    .include("f", "delay", ColumnTypes.INT)
                    .include("g", "gate", ColumnTypes.STRING)
                    .build());

    private List<Optional<byte[]>> included(Cell... cells) {
        IndexEntry entry = covering.entryOf(ROW, List.of(cells)).orElseThrow();
        return covering.definition().included().decode(entry.included()).orElseThrow();
    }

    @Test
    void anEntryIncludesTheCellsOfItsRow() {
        Cell gate = cell("g", "gate", 30, new byte[0]);
        assertThat(included(delay(20, -3), delay(5, 7), origin(10, "ORD"), gate).get(0))
                .contains(Bytes.toBytes(-3));
        assertThat(included(origin(10, "ORD"), gate).get(0)).isEmpty();
        assertThat(included(origin(10, "ORD"), gate).get(1))
                .as("empty, but there")
                .contains(new byte[0]);
        assertThat(included(origin(10, "ORD"), delay(20, 3)).get(1)).isEmpty();
        assertThat(covering.entryOf(ROW, List.of(delay(20, -3), gate))).isEmpty();
        assertThat(included(origin(10, "ORD"), cell("f", "delay", 10, ROW)).get(0))
                .as("whatever its type")
                .contains(ROW);
    }

    @Test
    void theTimestampOfAnEntryIsTheNewestOfItsKeyAndWhatItIncludes() {
        assertThat(covering.entryOf(ROW, List.of(origin(10, "ORD"), delay(20, 1))))
                .hasValueSatisfying(entry -> assertThat(entry.timestamp()).isEqualTo(20));
        assertThat(covering.entryOf(ROW, List.of(origin(30, "ORD"), delay(20, 1))))
                .hasValueSatisfying(entry -> assertThat(entry.timestamp()).isEqualTo(30));
        assertThat(covering.entryOf(ROW, List.of(origin(10, "ORD"))))
                .hasValueSatisfying(entry -> assertThat(entry.timestamp()).isEqualTo(10));
    }

    @Test
    void aPutDeterminesTheEntryOnlyWithAllThatItIncludes() {
        Cell gate = cell("g", "gate", 30, ROW);
        assertThat(covering.entryToldBy(ROW, List.of(origin(20, "ORD"), delay(20, 1), gate)))
                .isPresent();
        assertThat(covering.entryToldBy(ROW, List.of(origin(20, "ORD"), delay(20, 1))))
                .isEmpty();
        assertThat(covering.concernedBy(gate)).isTrue();
    }

    @Test
    void aRowWithTooLongAnIncludedValueHasNoEntry() {
        Cell gate = cell("g", "gate", 30, new byte[IncludedColumns.MOST_BYTES + 1]);
        assertThat(covering.entryOf(ROW, List.of(origin(20, "ORD"), gate))).isEmpty();
        assertThatThrownBy(() -> covering.strictEntryOf(ROW, List.of(origin(20, "ORD"), gate)))
                .isInstanceOf(UndecodableValueException.class)
                .hasMessageContaining("included column g:gate:string has 65537 bytes");
    }

    @Test
    void aRowThatDoesNotSatisfyAllConditionsHasNoEntry() throws UndecodableValueException {
        IndexEntryFunction late = new IndexEntryFunction(IndexDefinition.builder(TableName.valueOf("flights"), "late")
                .column("f", "origin", ColumnTypes.STRING)
                .where(ColumnCondition.parse("f:delay:int >= 60"))
                .where(ColumnCondition.parse("f:cancelled absent"))
                .build());
        Cell cancelled = cell("f", "cancelled", 90, ROW);
        assertThat(late.strictEntryOf(ROW, List.of(origin(10, "ORD"), delay(90, 60))))
                .hasValueSatisfying(
                        entry -> assertThat(entry.timestamp()).as("of the key").isEqualTo(10));
        assertThat(late.strictEntryOf(ROW, List.of(origin(10, "ORD"), delay(90, 59))))
                .isEmpty();
        assertThat(late.strictEntryOf(ROW, List.of(origin(10, "ORD"), delay(90, 59), delay(80, 60))))
                .as("an older version")
                .isEmpty();
        assertThat(late.strictEntryOf(ROW, List.of(origin(10, "ORD"), delay(90, 60), cancelled)))
                .isEmpty();
        assertThat(late.strictEntryOf(ROW, List.of(origin(10, "ORD")))).isEmpty();
        assertThat(late.strictEntryOf(ROW, List.of(delay(90, 60)))).isEmpty();
        assertThat(late.entryOf(ROW, List.of(origin(10, "ORD"), cell("f", "delay", 90, ROW))))
                .isEmpty();
        assertThat(late.concernedBy(cancelled)).isTrue();
        assertThat(late.entryToldBy(ROW, List.of(origin(10, "ORD"), delay(90, 60))))
                .as("the row may be cancelled")
                .isEmpty();
    }

    @Test
    void returnsTheDefinitionOfItsIndex() {
        assertThat(function.definition().name()).isEqualTo("by_origin_delay");
    }

    @Test
    void theNewestTimestampMayBeOfAnyColumn() {
        assertThat(function.entryOf(ROW, List.of(origin(20, "ORD"), delay(10, -3))))
                .hasValueSatisfying(entry -> assertThat(entry.timestamp()).isEqualTo(20));
    }

    @Test
    void aRowThatLacksAColumnHasNoEntry() throws UndecodableValueException {
        assertThat(function.strictEntryOf(ROW, List.of(origin(10, "ORD")))).isEmpty();
        assertThat(function.strictEntryOf(ROW, List.of())).isEmpty();
    }

    @Test
    void aPutDeterminesTheEntryIfItHasACellOfEachColumn() {
        assertThat(function.entryToldBy(ROW, List.of(origin(20, "ORD"), delay(10, -3))))
                .isEqualTo(function.entryOf(ROW, List.of(origin(20, "ORD"), delay(10, -3))))
                .isPresent();
        assertThat(function.entryToldBy(ROW, List.of(origin(20, "ORD")))).isEmpty();
    }

    @Test
    void aWriteOfAColumnThatIsReadOrADeleteOfItsFamilyConcernsTheEntry() {
        assertThat(function.concernedBy(origin(1, "ORD"))).isTrue();
        assertThat(function.concernedBy(cell("f", "carrier", 1, ROW))).isFalse();
        for (KeyValue.Type type : List.of(KeyValue.Type.DeleteFamily, KeyValue.Type.DeleteFamilyVersion)) {
            assertThat(function.concernedBy(new KeyValue(ROW, Bytes.toBytes("f"), null, 1, type)))
                    .isTrue();
            assertThat(function.concernedBy(new KeyValue(ROW, Bytes.toBytes("g"), null, 1, type)))
                    .isFalse();
        }
    }

    @Test
    void omitsARowWhoseValueCannotBeDecoded() {
        List<Cell> cells = List.of(origin(10, "ORD"), cell("f", "delay", 10, Bytes.toBytes("later")));
        assertThat(function.entryOf(ROW, cells)).isEmpty();
        assertThatThrownBy(() -> function.strictEntryOf(ROW, cells))
                .isInstanceOf(UndecodableValueException.class)
                .hasMessage("Not a value of type int: later (5 bytes)");
    }

    @Test
    void indexesAKeyWhoseRegionHBaseCanFindAndOmitsALongerOne() throws UndecodableValueException {
        // The origin is terminated by two bytes, and the delay takes five.
        int longestKey = function.definition().maxKeyLength();
        int longest = longestKey - 2 - 5 - ROW.length;
        List<Cell> fits = List.of(origin(10, "x".repeat(longest)), delay(10, 1));
        assertThat(function.strictEntryOf(ROW, fits).orElseThrow().key()).hasSize(longestKey);

        for (int excess : new int[] {1, 1_000_000}) {
            List<Cell> tooLong = List.of(origin(10, "x".repeat(longest + excess)), delay(10, 1));
            assertThat(function.entryOf(ROW, tooLong)).isEmpty();
            assertThatThrownBy(() -> function.strictEntryOf(ROW, tooLong))
                    .isInstanceOf(UndecodableValueException.class)
                    .hasMessageContaining("keys of up to " + longestKey + " [index=by_origin_delay]");
        }
    }

    @Test
    void readsOnlyIndexedColumns() {
        assertThat(function.reads(origin(1, "ORD"))).isTrue();
        assertThat(function.reads(delay(1, 1))).isTrue();
        assertThat(function.reads(cell("f", "origi", 1, ROW))).isFalse();
        assertThat(function.reads(cell("g", "origin", 1, ROW))).isFalse();
    }
}
