package org.diffindex.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.SchemeState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScrubberTest extends ScrubFixture {
    /** The scan with which the first pass over the base table begins: one thread scans each table in two ranges. */
    private static final int FIRST_PASS_OF_BASE = 3;

    /** The scan with which the second pass begins. */
    private static final int SECOND_PASS = 5;

    @Test
    void readsEachTableOnceIfNothingDiffers() throws IOException {
        fill(ROWS);
        ScrubReport report = scrub();
        assertThat(report.found()).isEmpty();
        assertThat(report.isClean()).isTrue();
        assertThat(report.rows()).isEqualTo(ROWS);
        assertThat(report.entries()).isEqualTo(ROWS);
        assertThat(tables.pointReads).hasValue(0);
        assertThat(waits).isEmpty();
    }

    private void damage() {
        tables.deleteIndex(tables.keyOf(row(1)));
        tables.deleteBase(row(2));
        tables.putBase(row(3), "elsewhere", 5_000); // the old entry is stale, and the new one is missing
        tables.putIndex(tables.keyOf(row(4)), 5_000, new byte[0]);
        tables.putIndex(tables.keyOf(row(5)), 105, Bytes.toBytes(104L));
        tables.putStray(tables.keyOf(row(6)), STRAY, 106, new byte[0]);
        tables.putIndex(new byte[] {0, 5}, 107, new byte[0]);
        tables.putIndex(tables.keyOf(row(8)), 108, new byte[3]);
    }

    private static final Map<Difference, Long> DAMAGE = Map.of(
            Difference.MISSING, 2L,
            Difference.DANGLING, 1L,
            Difference.STALE, 1L,
            Difference.WRONG_TIMESTAMP, 2L,
            Difference.DUPLICATE, 1L,
            Difference.UNDECODABLE, 2L);

    @Test
    void findsEachDamageOnce() throws IOException {
        fill(ROWS);
        damage();
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(DAMAGE);
        assertThat(report.isClean()).isFalse();
        assertThat(report.repaired()).isEmpty();
        assertThat(report.samples())
                .contains(
                        new FoundDifference(Difference.MISSING, row(1), "", "city1\\x00\\x01" + row(1) + "@101"),
                        new FoundDifference(Difference.DANGLING, row(2), "city2\\x00\\x01" + row(2) + "@102", ""),
                        new FoundDifference(
                                Difference.STALE,
                                row(3),
                                "city3\\x00\\x01" + row(3) + "@103",
                                "elsewhere\\x00\\x01" + row(3) + "@5000"))
                .hasSize(9);
        assertThat(tables.pointReads.get())
                .as("only buckets that differ are read")
                .isLessThan(ROWS);
    }

    @Test
    void repairsEachDamage() throws IOException {
        fill(ROWS);
        damage();
        options = options.withRepair(true);
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(DAMAGE);
        assertThat(report.repaired()).isEqualTo(DAMAGE);
        assertThat(report.isClean()).isTrue();
        assertThat(scrub().found()).isEmpty();
    }

    @Test
    void aStrayCellAtTheKeyOfAnEntryIsNotTheEntry() throws IOException {
        fill(ROWS);
        tables.deleteIndex(tables.keyOf(row(1)));
        tables.putStray(tables.keyOf(row(1)), STRAY, 101, new byte[0]);
        assertThat(scrub().found()).isEqualTo(Map.of(Difference.MISSING, 1L, Difference.UNDECODABLE, 1L));
    }

    @ParameterizedTest
    @EnumSource
    void allowsStaleEntriesIfTheSchemeLeavesThem(IndexScheme scheme) throws IOException {
        use(index(scheme));
        fill(100);
        tables.putBase(row(3), "elsewhere", 5_000);
        tables.index(row(3));
        tables.deleteBase(row(4));
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(Map.of(Difference.STALE, 1L, Difference.DANGLING, 1L));
        assertThat(report.isClean()).isEqualTo(scheme.leavesStaleEntries());
        tables.deleteIndex(tables.keyOf(row(5)));
        assertThat(scrub().isClean()).as("a missing entry is never allowed").isFalse();
    }

    /** The lost write replaced the entry of the row's value by its own, which has the same key. */
    @ParameterizedTest
    @EnumSource
    void allowsAnEntryOfALostWriteIfEntriesMayPrecedeRows(IndexScheme scheme) throws IOException {
        use(index(scheme));
        fill(100);
        tables.putIndex(tables.keyOf(row(3)), 5_000, new byte[0]);
        Difference expected = scheme.mayInsertBeforeRow() ? Difference.AHEAD : Difference.WRONG_TIMESTAMP;
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(Map.of(expected, 1L));
        assertThat(report.isClean()).isEqualTo(scheme.mayInsertBeforeRow());
        tables.putIndex(tables.keyOf(row(3)), 5_000, Bytes.toBytes(102L));
        assertThat(scrub().isClean())
                .as("the entry of an older write is not allowed")
                .isFalse();
        options = options.withRepair(true);
        assertThat(scrub().isClean()).isTrue();
        options = options.withRepair(false);
        assertThat(scrub().found()).isEmpty();
    }

    @Test
    void boundsThePendingDifferencesHoweverMuchDiffers() throws IOException {
        fill(ROWS);
        for (int i = 0; i < ROWS; i++) {
            tables.putBase(row(i), "elsewhere", 10_000 + i);
        }
        options = options.withPending(50);
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(Map.of(Difference.STALE, (long) ROWS, Difference.MISSING, (long) ROWS));
        assertThat(report.samples()).hasSize(2 * options.samples());
        assertThat(waits).as("settled 50 at a time").hasSize(2 * ROWS / 50);
        assertThat(tables.largestRead.get()).isLessThanOrEqualTo(500);
    }

    @Test
    void anUpdateInFlightIsNotADifference() throws IOException {
        fill(ROWS);
        List<byte[]> old = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            old.add(tables.keyOf(row(i)));
            tables.putBase(row(i), "elsewhere", 10_000 + i);
        }
        tables.onDrain = () -> {
            for (int i = 0; i < 20; i++) {
                tables.deleteIndex(old.get(i));
                tables.index(row(i));
            }
        };
        options = options.withLag(Duration.ofSeconds(3));
        assertThat(scrub().found()).isEmpty();
        assertThat(waits).containsExactly(Duration.ofSeconds(3));
    }

    @Test
    void aRowThatIsWrittenBetweenTheTwoReadsOfALookLacksNothing() throws IOException {
        fill(ROWS);
        byte[] first = tables.keyOf(row(1));
        tables.deleteIndex(first);
        boolean[] delivered = {false};
        tables.onDrain = () -> {
            if (!delivered[0]) {
                tables.putIndex(first, 101, new byte[0]);
                delivered[0] = true;
            }
        };
        tables.onBaseRows = () -> {
            if (delivered[0]) {
                tables.deleteIndex(first);
                tables.putBase(row(1), "elsewhere", 100_000);
                tables.index(row(1));
            }
        };
        ScrubReport report = scrub();
        assertThat(delivered[0]).isTrue();
        assertThat(report.found()).as(report.toString()).isEmpty();
        assertThat(report.unsettled()).isZero();
    }

    @Test
    void aRowThatIsAlwaysBeingWrittenIsUnsettled() throws IOException {
        fill(ROWS);
        long[] time = {10_000};
        tables.onDrain = () -> tables.putBase(row(1), "city" + time[0], time[0]++);
        tables.onDrain.run();
        tables.deleteIndex(Bytes.toBytes("city1\0\1" + row(1)));
        ScrubReport report = scrub();
        assertThat(report.found()).isEmpty();
        assertThat(report.unsettled()).isEqualTo(1);
        assertThat(report.isClean()).as("nothing is known of the row").isFalse();
        assertThat(waits).hasSize(options.looks());
    }

    /** The row's writes are not indexed, and some looks fall between two of them. */
    @Test
    void aRowThatIsWrittenOftenAndNeverIndexedIsFound() throws IOException {
        fill(ROWS);
        long[] time = {10_000};
        int[] drains = {0};
        tables.onDrain = () -> {
            if (drains[0]++ % 4 < 2) {
                tables.putBase(row(1), "city1", time[0]++);
            }
        };
        tables.deleteIndex(tables.keyOf(row(1)));
        ScrubReport report = scrub();
        assertThat(report.found()).isEqualTo(Map.of(Difference.MISSING, 1L));
        assertThat(report.unsettled()).isZero();
        assertThat(waits).hasSize(1);
    }

    /** The row has a different key each time. Its client may give timestamps of long ago. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRowThatIsWrittenDuringTheScrubAndNeverIndexedIsFound(boolean inThePast) throws IOException {
        fill(ROWS);
        tables.deleteIndex(tables.keyOf(row(1)));
        long start = inThePast ? 5_000 : System.currentTimeMillis();
        int[] scans = {0};
        options = options.withThreads(1);
        tables.onScan = () -> tables.putBase(row(1), "elsewhere" + Math.min(++scans[0], 5), start + scans[0]);
        ScrubReport report = scrub();
        assertThat(report.found()).as(report.toString()).isEqualTo(Map.of(Difference.MISSING, 1L));
    }

    /** The newest version of the row is deleted, so that the older one is visible again, with its old timestamp. */
    @Test
    void aRowWhoseOlderVersionReappearsBetweenThePassesAndIsNeverIndexedIsFound() throws IOException {
        fill(ROWS);
        tables.deleteIndex(tables.keyOf(row(1)));
        tables.putBase(row(1), "newer", System.currentTimeMillis());
        int[] scans = {0};
        options = options.withThreads(1);
        tables.onScan = () -> {
            if (++scans[0] == SECOND_PASS) {
                tables.putBase(row(1), "older", 50);
            }
        };
        ScrubReport report = scrub();
        assertThat(report.found()).as(report.toString()).isEqualTo(Map.of(Difference.MISSING, 1L));
        assertThat(scans).as("ranges scanned in both passes").containsExactly(8);
    }

    /**
     * The row goes from one version to another and back: a put, then a delete of the newest version. The index has
     * exactly the row's entry at every moment. Of the looks, which read the row before its entry, the first few fall
     * between the delete and the next put.
     */
    private ScrubReport scrubARowThatGoesToAndFro(int looksInBetween) throws IOException {
        fill(100);
        byte[] older = tables.keyOf(row(1));
        byte[] newer = Bytes.toBytes("elsewhere\0\1" + row(1));
        long[] stamp = {10_000};
        Runnable put = () -> {
            tables.putBase(row(1), "elsewhere", 5_000);
            tables.deleteIndex(older);
            tables.putIndex(newer, ++stamp[0], Bytes.toBytes(5_000L));
        };
        Runnable delete = () -> {
            tables.putBase(row(1), "city1", 101);
            tables.deleteIndex(newer);
            tables.putIndex(older, ++stamp[0], Bytes.toBytes(101L));
        };
        int[] scans = {0};
        tables.onScan = () -> {
            int scan = ++scans[0];
            if (scan == FIRST_PASS_OF_BASE) {
                put.run();
            } else if (scan == SECOND_PASS) {
                delete.run();
            }
        };
        int[] looks = {0};
        tables.beforeIndexRows = () -> {
            if (looks[0]++ < looksInBetween) {
                put.run();
            }
        };
        tables.afterIndexRows = delete;
        options = options.withThreads(1).withBuckets(1 << 20);
        ScrubReport report = scrub();
        assertThat(looks[0]).as("looks at the row's entry").isGreaterThan(Math.min(looksInBetween, 2));
        return report;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aRowThatGoesToAndFroLacksNothingIfOneOfThreeLooksSeesItsEntry(int looksInBetween) throws IOException {
        ScrubReport report = scrubARowThatGoesToAndFro(looksInBetween);
        assertThat(report.found()).as(report.toString()).isEmpty();
        assertThat(report.unsettled()).isZero();
    }

    /** Three looks in a row find the same entry missing, although the index lacks nothing at any moment. */
    @Test
    void aRepairOfARowThatGoesToAndFroIsHarmless() throws IOException {
        options = options.withRepair(true);
        ScrubReport report = scrubARowThatGoesToAndFro(3);
        assertThat(report.found()).as(report.toString()).isEqualTo(Map.of(Difference.MISSING, 1L));
        assertThat(report.repaired()).isEqualTo(report.found());
        assertThat(report.isClean()).isTrue();
        assertThat(tables.keys()).hasSize(100);
        assertThat(scrub().found()).isEmpty();
    }

    /** The client gives each write the same timestamp. */
    @Test
    void aRowThatLacksADifferentEntryAtEachLookIsUnsettled() throws IOException {
        fill(ROWS);
        int[] drains = {0};
        tables.onDrain = () -> tables.putBase(row(1), "city" + drains[0]++, 10_000);
        tables.onDrain.run();
        tables.deleteIndex(Bytes.toBytes("city1\0\1" + row(1)));
        ScrubReport report = scrub();
        assertThat(report.found()).isEmpty();
        assertThat(report.unsettled()).isEqualTo(1);
    }

    @Test
    void aKeyThatNamesAnEmptyRowIsUndecodable() throws IOException {
        fill(ROWS);
        tables.putIndex(Bytes.toBytes("city5\0\1"), 5, new byte[0]);
        assertThat(scrub().found()).isEqualTo(Map.of(Difference.UNDECODABLE, 1L));
    }

    @Test
    void undeliveredUpdatesFailTheScrubAndAreNotDifferences() {
        fill(10);
        tables.deleteIndex(tables.keyOf(row(1)));
        tables.undelivered = 4;
        assertThatThrownBy(this::scrub)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("4 batches of index updates are still in flight");
    }

    /** It lacks rows that are not filled yet. */
    @Test
    void refusesAnIndexThatIsBuilding() throws IOException {
        Connection connection = mock(Connection.class);
        Admin admin = mock(Admin.class);
        when(connection.getAdmin()).thenReturn(admin);
        when(admin.getDescriptor(definition.table()))
                .thenReturn(IndexDefinitions.with(
                        TableDescriptorBuilder.newBuilder(definition.table()).build(), definition));
        when(admin.getDescriptor(definition.indexTable()))
                .thenReturn(IndexDefinitions.markIndexTable(
                                TableDescriptorBuilder.newBuilder(definition.indexTable()),
                                definition,
                                IndexState.BUILDING)
                        .build());
        assertThatThrownBy(() -> Scrubber.scrub(connection, definition, options, ScrubListener.NONE))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("is BUILDING");
        verify(connection, never()).getTable(any());
    }

    /** The base table defines sync-full already, and what sync-insert has left is not removed yet. */
    @Test
    void judgesByTheSchemeThatReadersReadByWhileItIsBeingChanged() throws IOException {
        SchemeState begun = SchemeState.begin(Optional.empty(), IndexScheme.SYNC_INSERT, IndexScheme.SYNC_FULL, "c1");
        IndexDefinition defined = index(IndexScheme.SYNC_FULL);
        JudgedIndex judged = JudgedIndex.of(defined, Optional.of(begun));
        assertThat(judged.definition().scheme()).isEqualTo(IndexScheme.SYNC_INSERT);
        assertThat(judged.definition().id()).isEqualTo(defined.id());
        assertThat(judged.changingTo()).contains(IndexScheme.SYNC_FULL);
        JudgedIndex changed = JudgedIndex.of(defined, Optional.of(begun.completed()));
        assertThat(changed.definition().scheme()).isEqualTo(IndexScheme.SYNC_FULL);
        assertThat(changed.changingTo()).isEmpty();
        assertThat(JudgedIndex.of(defined, Optional.empty()).definition().scheme())
                .isEqualTo(IndexScheme.SYNC_FULL);

        use(judged.definition());
        fill(ROWS);
        tables.putBase(row(1), "elsewhere", 5_000);
        tables.index(row(1)); // which leaves the old entry
        assertThat(scrub().found()).isEqualTo(Map.of(Difference.STALE, 1L));
        assertThat(scrub().isClean()).isTrue();
    }

    @Test
    void aScrubReadsTheSchemeOfReaders() throws IOException {
        SchemeState begun = SchemeState.begin(Optional.empty(), IndexScheme.SYNC_INSERT, IndexScheme.SYNC_FULL, "c1");
        Connection connection = mock(Connection.class);
        Admin admin = mock(Admin.class);
        when(connection.getAdmin()).thenReturn(admin);
        when(admin.getDescriptor(definition.table()))
                .thenReturn(IndexDefinitions.with(
                        TableDescriptorBuilder.newBuilder(definition.table()).build(), definition));
        when(admin.getDescriptor(definition.indexTable()))
                .thenReturn(IndexDefinitions.withSchemeState(
                        IndexDefinitions.markIndexTable(
                                        TableDescriptorBuilder.newBuilder(definition.indexTable()),
                                        definition,
                                        IndexState.ACTIVE)
                                .build(),
                        begun));
        JudgedIndex judged = JudgedIndex.of(connection, definition);
        assertThat(judged.definition().scheme()).isEqualTo(IndexScheme.SYNC_INSERT);
        assertThat(judged.changingTo()).contains(IndexScheme.SYNC_FULL);
    }

    @Test
    void keepsToTheRate() throws IOException {
        fill(ROWS);
        options = options.withRowsPerSecond(20_000);
        assertThat(timeOfAScrub()).isGreaterThan(Duration.ofMillis(250)); // 6,000 rows
    }

    /** The rate also limits lookups and settling. */
    @Test
    void keepsToTheRateHoweverManyLooksItTakes() throws IOException {
        fill(200);
        for (int i = 0; i < 200; i++) {
            tables.putBase(row(i), "elsewhere", 10_000 + i);
        }
        options = options.withRowsPerSecond(5_000);
        // Each of the 400 rows is scanned twice, and 200 entries and 200 rows are looked up with their rows and
        // entries, twice each.
        assertThat(timeOfAScrub()).isGreaterThan(Duration.ofMillis(280));
    }

    private Duration timeOfAScrub() throws IOException {
        options = options.withLag(Duration.ZERO);
        return new Scrubber(
                        tables,
                        definition,
                        options,
                        ScrubListener.NONE,
                        time -> TimeUnit.NANOSECONDS.sleep(time.toNanos()),
                        clock)
                .run()
                .time();
    }

    @Test
    void reportsItsProgress() throws IOException {
        fill(10 * ROWS);
        tables.deleteIndex(tables.keyOf(row(1)));
        List<ScrubProgress> told = Collections.synchronizedList(new ArrayList<>());
        ScrubReport unused =
                new Scrubber(tables, definition, options.withThreads(1), told::add, waits::add, clock).run();
        assertThat(told).extracting(ScrubProgress::rows).isSorted();
        for (ScrubProgress.Stage stage : ScrubProgress.Stage.values()) {
            assertThat(told)
                    .filteredOn(progress -> progress.stage() == stage)
                    .extracting(ScrubProgress::done)
                    .hasSizeGreaterThan(4)
                    .isSorted()
                    .allMatch(done -> done >= 0 && done <= 1)
                    .last()
                    .isEqualTo(1.0);
        }
    }

    @Test
    void anErrorOfTheListenerEndsTheScrub() {
        fill(ROWS);
        ScrubListener broken = progress -> {
            throw new IllegalStateException("no terminal");
        };
        assertThatThrownBy(() -> new Scrubber(tables, definition, options, broken, waits::add, clock).run())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no terminal");
    }

    @Test
    void refusesOptionsThatCannotWork() {
        assertThatThrownBy(() -> options.withThreads(0)).isInstanceOf(IllegalArgumentException.class);
        for (double rate : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY, 1e-9}) {
            assertThatThrownBy(() -> options.withRowsPerSecond(rate)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> options.withLag(Duration.ofNanos(-TimeUnit.SECONDS.toNanos(1))))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
