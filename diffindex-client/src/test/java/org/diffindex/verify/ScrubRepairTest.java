package org.diffindex.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.types.RawBytes;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Order;
import org.apache.hadoop.hbase.util.PositionedByteRange;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the repairs of a scrub and its report of them. */
class ScrubRepairTest extends ScrubFixture {
    @Test
    void anEntryThatARepairMadeWrongDoesNotCountAsRepaired() throws IOException {
        fill(ROWS);
        tables.putIndex(tables.keyOf(row(5)), 105, Bytes.toBytes(104L));
        tables.repairsWrongly = true;
        options = options.withRepair(true);
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(Map.of(Difference.WRONG_TIMESTAMP, 1L));
        assertThat(report.repaired()).isEmpty();
        assertThat(report.isClean()).isFalse();
    }

    @Test
    void aRepairThatRemovesTheRowsEntryDoesNotRepairTheRow() throws IOException {
        fill(ROWS);
        tables.putIndex(tables.keyOf(row(5)), 105, Bytes.toBytes(104L));
        tables.repairsByDeleting = true;
        options = options.withRepair(true);
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(Map.of(Difference.WRONG_TIMESTAMP, 1L, Difference.MISSING, 1L));
        assertThat(report.repaired(Difference.MISSING)).isZero();
        assertThat(report.isClean()).isFalse();
    }

    @Test
    void aRowThatLostItsEntryInARepairIsRepairedInTheNextTurn() throws IOException {
        fill(ROWS);
        tables.putIndex(tables.keyOf(row(5)), 105, Bytes.toBytes(104L));
        int[] repairs = {0};
        tables.onRepair = () -> tables.repairsByDeleting = ++repairs[0] == 1;
        options = options.withRepair(true);
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(Map.of(Difference.WRONG_TIMESTAMP, 1L, Difference.MISSING, 1L));
        assertThat(report.repaired()).isEqualTo(report.found());
        assertThat(report.isClean()).isTrue();
    }

    /** For example, the row of a repair may be written at every look. */
    @Test
    void aRepairWithUnknownOutcomeDoesNotCount() throws IOException {
        fill(ROWS);
        tables.deleteIndex(tables.keyOf(row(1)));
        tables.repairsNothing = true;
        long[] time = {0};
        tables.onRepair = () -> time[0] = 10_000;
        tables.onDrain = () -> {
            if (time[0] > 0) {
                tables.putBase(row(1), "city" + time[0], time[0]++);
            }
        };
        options = options.withRepair(true);
        ScrubReport report = scrub();
        assertThat(report.repaired()).isEmpty();
        assertThat(report.isClean()).isFalse();
    }

    /** The row's entry was correct after the repair; nothing is known of later writes. */
    @Test
    void aRowThatIsAlwaysBeingWrittenAfterItsRepairIsUnsettled() throws IOException {
        fill(ROWS);
        tables.putIndex(tables.keyOf(row(5)), 105, Bytes.toBytes(104L));
        long[] time = {0};
        tables.onRepair = () -> time[0] = 10_000;
        tables.onDrain = () -> {
            if (time[0] > 0) {
                tables.deleteIndex(tables.keyOf(row(5)));
                tables.putBase(row(5), "city" + time[0], time[0]++);
            }
        };
        options = options.withRepair(true);
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(Map.of(Difference.WRONG_TIMESTAMP, 1L));
        assertThat(report.repaired()).isEqualTo(Map.of(Difference.WRONG_TIMESTAMP, 1L));
        assertThat(report.unsettled()).isEqualTo(1);
        assertThat(report.isClean()).isFalse();
    }

    /** Another entry of the row is repaired meanwhile. */
    @Test
    void aRowThatIsAlwaysBeingWrittenIsUnsettledOnce() throws IOException {
        fill(ROWS);
        tables.putBase(row(5), "elsewhere", 5_000);
        tables.index(row(5));
        tables.repairsNothing = true;
        long[] time = {10_000};
        tables.onDrain = () -> tables.putBase(row(5), "city" + time[0], time[0]++);
        tables.onDrain.run();
        options = options.withRepair(true);
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(Map.of(Difference.STALE, 2L));
        assertThat(report.unsettled()).isEqualTo(1);
    }

    /** The repair of another entry of the row deletes the row's entry. */
    @Test
    void aRowThatLacksItsEntryAgainAfterARepairCountsOnce() throws IOException {
        fill(ROWS);
        byte[] stale = tables.keyOf(row(5));
        tables.putBase(row(5), "elsewhere", 5_000);
        tables.repairsNothing = true;
        options = options.withRepair(true);
        int[] repairs = {0};
        tables.onRepair = () -> {
            if (++repairs[0] == 1) {
                tables.index(row(5));
            } else {
                tables.deleteIndex(tables.keyOf(row(5)));
            }
        };
        ScrubReport report = scrub();
        assertThat(tables.keys()).contains(Bytes.toStringBinary(stale));
        assertThat(report.found()).isEqualTo(Map.of(Difference.STALE, 1L, Difference.MISSING, 1L));
        assertThat(report.repaired()).isEmpty();
    }

    /** The entry is no longer the one that the scheme allows. */
    @Test
    void aDifferenceAfterTheRepairOfAnAllowedEntryIsNotAllowed() throws IOException {
        use(index(IndexScheme.SYNC_INSERT));
        fill(ROWS);
        byte[] stale = tables.keyOf(row(5));
        tables.putBase(row(5), "elsewhere", 5_000);
        tables.index(row(5));
        tables.onRepair = () -> tables.putStray(stale, STRAY, 9_000_000, new byte[0]);
        tables.repairsNothing = true;
        options = options.withRepair(true);
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(Map.of(Difference.STALE, 1L, Difference.DUPLICATE, 1L));
        assertThat(report.repaired(Difference.DUPLICATE)).isZero();
        assertThat(report.isClean()).isFalse();
    }

    /**
     * Between two drains the row has another value, whose entry is in flight. The client gives this value the earlier
     * timestamp again.
     */
    private void moveToAndFroAfterRepairs(int row, String city, String elsewhere, long timestamp) {
        boolean[] repaired = {false};
        boolean[] away = {false};
        tables.onRepair = () -> repaired[0] = true;
        tables.onDrain = () -> {
            if (repaired[0]) {
                away[0] = !away[0];
                tables.putBase(row(row), away[0] ? elsewhere : city, timestamp);
                if (!away[0]) {
                    tables.index(row(row));
                }
            }
        };
    }

    @Test
    void aWriteInFlightIsNotTheFutureStampThatWasRepaired() throws IOException {
        fill(ROWS);
        putAStampOfTheFuture(row(5), 105);
        moveToAndFroAfterRepairs(5, "city5", "elsewhere", 105);
        options = options.withRepair(true);
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(Map.of(Difference.FUTURE_STAMP, 1L));
        assertThat(report.repaired()).isEqualTo(Map.of(Difference.FUTURE_STAMP, 1L));
        assertThat(report.isClean()).isTrue();
        assertThat(tables.repairs).hasSize(1);
    }

    @Test
    void aWriteInFlightIsNotTheMissingEntryThatWasRepaired() throws IOException {
        fill(ROWS);
        tables.deleteIndex(tables.keyOf(row(5)));
        moveToAndFroAfterRepairs(5, "city5", "elsewhere", 105);
        options = options.withRepair(true);
        ScrubReport report = scrub();
        assertThat(report.repaired()).isEqualTo(Map.of(Difference.MISSING, 1L));
        assertThat(report.isClean()).isTrue();
        assertThat(tables.repairs).hasSize(1);
    }

    /** This holds even if the scheme allows the difference. */
    @ParameterizedTest
    @EnumSource
    void anEntryThatARepairDidNotChangeDoesNotCountAsRepaired(IndexScheme scheme) throws IOException {
        use(index(scheme));
        fill(ROWS);
        tables.putBase(row(3), "elsewhere", 5_000);
        tables.index(row(3));
        tables.repairsNothing = true;
        options = options.withRepair(true);
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(Map.of(Difference.STALE, 1L));
        assertThat(report.repaired()).isEmpty();
    }

    @Test
    void aRowThatIsWrittenDuringItsRepairIsRepaired() throws IOException {
        fill(ROWS);
        tables.deleteIndex(tables.keyOf(row(1)));
        long[] time = {10_000};
        options = options.withRepair(true);
        tables.onDrain = () -> {
            if (!waits.isEmpty()) {
                tables.putBase(row(1), "city1", time[0]++);
                tables.index(row(1));
            }
        };
        ScrubReport report = scrub();
        assertThat(report.isClean()).isTrue();
    }

    /**
     * The servers have a different version of the type's class than the scrub: only they decide which entries are
     * deleted.
     */
    @Test
    void deletesNothingThatServersReadDifferently() throws IOException {
        tables = new MemoryTables(ofClass(AnyBytes.class));
        fill(ROWS);
        List<String> before = tables.keys();
        definition = ofClass(SomeBytes.class);
        options = options.withRepair(true);
        ScrubReport report = scrub();
        assertThat(report.found(Difference.DANGLING)).isGreaterThan(ROWS / 8);
        assertThat(report.isClean()).isFalse();
        assertThat(tables.keys()).isEqualTo(before);
        assertThat(tables.deletes).hasValue(0);
    }

    private static IndexDefinition ofClass(Class<?> type) {
        return IndexDefinition.builder(TableName.valueOf("t"), "by_city")
                .column("f", "city", ColumnTypes.parse("class(" + type.getName() + ")"))
                .scheme(IndexScheme.SYNC_FULL)
                .build();
    }

    /** Accepts any bytes. */
    public static class AnyBytes extends RawBytes {
        public AnyBytes() {
            super(Order.ASCENDING);
        }
    }

    /** Accepts fewer bytes. */
    public static final class SomeBytes extends AnyBytes {
        @Override
        public byte[] decode(PositionedByteRange source) {
            byte[] value = super.decode(source);
            if (value[value.length - 1] == '3') {
                throw new IllegalArgumentException("not any more");
            }
            return value;
        }
    }
}
