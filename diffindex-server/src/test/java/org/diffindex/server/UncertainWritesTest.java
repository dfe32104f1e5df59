package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.BaseProbe;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.sequences.Step;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests syncs of the WAL that fail although they are durable: the server continues without the write, but its successor
 * has it.
 */
class UncertainWritesTest {
    private static final long START = 1_700_000_000_000L;
    private static final byte[] ROW = Flights.row("r0");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void keepsTheEntryOfAWriteThatAReplayRestores(boolean canBeRead) throws IOException {
        FakeConnection network = new FakeConnection();
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            IndexDefinition index = ofScheme(table, IndexScheme.SYNC_INSERT);
            put(table, "first");
            clock.move(1);
            put(table, "second");
            clock.move(1);
            outageOfReads(table, !canBeRead);
            table.failNextSync();
            assertThatThrownBy(() -> put(table, "lost and found")).isInstanceOf(IOException.class);
            outageOfReads(table, false);
            Waiting.until("the entry has arrived before the row", () -> has(table, index, "lost"));

            table.reportStale(
                    index, ROW, network.index(index.indexTable()).visible().values());
            Waiting.until("the first entry, stale for sure, is deleted", () -> !has(table, index, "first"));
            table.die();
            table.recover();
            assertThat(table.drain()).isZero();

            assertThat(table.entries(index)).containsAll(LocalTable.expected(index, table.visible(List.of("r0"))));
            assertThat(has(table, index, "lost")).isTrue();
        }
    }

    /** Then it is unknown whether the write is in the memstore. */
    @Test
    void aRowThatCannotBeReadWhenASyncFailsKeepsItsEntries() throws IOException {
        FakeConnection network = new FakeConnection();
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            put(table, "first");
            assertThat(table.drain()).isZero();
            clock.move(1);
            outageOfReads(table, true);
            table.failNextSync();
            assertThatThrownBy(() -> put(table, "lost")).isInstanceOf(IOException.class);
            outageOfReads(table, false);
            assertThat(table.drain()).isZero();
            assertThat(valuesOf(table)).containsExactly("first");
            everyIndexHasTheEntryOfTheRow(table);
        }
    }

    private static void outageOfReads(LocalTable table, boolean begins) {
        table.regionOf(ROW)
                .getCoprocessorHost()
                .findCoprocessor(BaseProbe.class)
                .failures
                .outage(begins);
    }

    /** A scrub takes the entries of the row for wrong, and the repair must not believe it. */
    @Test
    void aRepairDoesNotHideTheEntryOfAWriteThatAReplayRestores() throws IOException {
        FakeConnection network = new FakeConnection();
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            put(table, "first");
            clock.move(1);
            table.failNextSync();
            assertThatThrownBy(() -> put(table, "lost and found")).isInstanceOf(IOException.class);
            IndexDefinition early = ofScheme(table, IndexScheme.SYNC_INSERT);
            Waiting.until("the entry has arrived before the row", () -> has(table, early, "lost"));
            Collection<Cell> entries =
                    network.index(early.indexTable()).visible().values();
            clock.move(1);

            for (IndexScheme scheme : IndexScheme.values()) {
                table.repair(ofScheme(table, scheme), ROW, entries);
            }
            table.die();
            table.recover();
            assertThat(table.drain()).isZero();

            for (IndexDefinition index : table.indexes()) {
                assertThat(table.entries(index))
                        .as(index.name())
                        .containsAll(LocalTable.expected(index, table.visible(List.of("r0"))));
            }
            assertThat(has(table, early, "lost")).isTrue();
        }
    }

    /**
     * An entry that was put would have a later stamp than the write, and so hide the write's entry, or survive its
     * delete.
     */
    @ParameterizedTest
    @ValueSource(strings = {"same", "lost and found"})
    void aRepairPutsNothingIfAReplayMayRestoreAWrite(String lost) throws IOException {
        FakeConnection network = new FakeConnection();
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            put(table, "same");
            clock.move(1);
            table.failNextSync();
            assertThatThrownBy(() -> put(table, lost)).isInstanceOf(IOException.class);
            clock.move(1);
            IndexDefinition early = ofScheme(table, IndexScheme.SYNC_INSERT);
            Waiting.until("the entry has arrived before the row", () -> has(table, early, lost));

            for (IndexScheme scheme : IndexScheme.values()) {
                IndexDefinition index = ofScheme(table, scheme);
                table.repair(
                        index, ROW, network.index(index.indexTable()).visible().values());
            }
            table.die();
            table.recover();
            assertThat(table.drain()).isZero();

            for (IndexDefinition index : table.indexes()) {
                var expected = LocalTable.expected(index, table.visible(List.of("r0")));
                if (index.scheme().leavesStaleEntries()) {
                    assertThat(table.entries(index)).as(index.name()).containsAll(expected);
                } else {
                    assertThat(table.entries(index)).as(index.name()).isEqualTo(expected);
                }
            }
        }
    }

    /** The entry that the backfill puts would survive the delete that the restored write makes. */
    @ParameterizedTest
    @ValueSource(ints = {1, 40})
    void aBackfillPutsNothingThatSurvivesAWriteThatAReplayRestores(int later) throws IOException {
        FakeConnection network = new FakeConnection();
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            putAt(table, "first", START + 20);
            assertThat(table.drain()).isZero();
            clock.move(1);
            table.failNextSync();
            assertThatThrownBy(() -> putAt(table, "lost and found", START + 25)).isInstanceOf(IOException.class);
            clock.move(later);
            for (IndexDefinition index : table.indexes()) {
                assertThat(table.backfill(index)).as(index.name()).isPresent();
            }
            table.die();
            table.recover();
            assertThat(table.drain()).isZero();

            assertThat(valuesOf(table)).containsExactly("lost and found");
            for (IndexDefinition index : table.indexes()) {
                var expected = LocalTable.expected(index, table.visible(List.of("r0")));
                if (!index.scheme().leavesStaleEntries()) {
                    assertThat(table.entries(index)).as(index.name()).isEqualTo(expected);
                }
            }
        }
    }

    private static void putAt(LocalTable table, String value, long timestamp) throws IOException {
        Step.Column column = Step.Column.A;
        table.regionOf(ROW)
                .put(new Put(ROW).addColumn(column.family(), column.qualifier(), timestamp, Bytes.toBytes(value)));
    }

    @Test
    void aDeleteThatAReplayRestoresHidesNoLaterPutAfterTheClockJumpedBack() throws IOException {
        FakeConnection network = new FakeConnection();
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            put(table, "first");
            table.move();
            clock.move(-20_000);
            table.failNextSync();
            assertThatThrownBy(() -> table.regionOf(ROW).delete(new Delete(ROW)))
                    .isInstanceOf(IOException.class);
            put(table, "acknowledged");
            table.die();
            table.recover();
            assertThat(table.drain()).isZero();

            assertThat(table.visible(List.of("r0")).get("r0"))
                    .as("visible cells of the row")
                    .hasSize(1);
            for (IndexDefinition index : table.indexes()) {
                assertThat(table.entries(index))
                        .as(index.name())
                        .containsAll(LocalTable.expected(index, table.visible(List.of("r0"))));
            }
        }
    }

    /** HBase restores those cells of the write whose family was not flushed since. */
    @Test
    void aReplayThatRestoresOneFamilyOfAWriteTellsTheIndexes() throws IOException {
        FakeConnection network = new FakeConnection();
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            put(table, Map.of(Step.Column.A, "a0", Step.Column.C, "c0"));
            clock.move(1);
            table.failNextSync();
            assertThatThrownBy(() -> put(table, Map.of(Step.Column.A, "lost", Step.Column.C, "found")))
                    .isInstanceOf(IOException.class);
            table.flush(Step.Column.A.family());
            table.die();
            table.recover();
            assertThat(table.drain()).isZero();

            assertThat(valuesOf(table)).containsExactly("a0", "found");
            everyIndexHasTheEntryOfTheRow(table);
            IndexDefinition both = named(table, "ca");
            assertThat(table.entries(both)).isEqualTo(LocalTable.expected(both, table.visible(List.of("r0"))));
        }
    }

    /** The files of the other family tell what it shows now, and not what it showed when the write was made. */
    @Test
    void aReplayThatRestoresAWriteBeneathAFlushedWriteOfAnotherFamilyTellsTheIndexes() throws IOException {
        FakeConnection network = new FakeConnection();
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            put(table, Map.of(Step.Column.A, "a0", Step.Column.C, "c0"));
            clock.move(1);
            table.failNextSync();
            assertThatThrownBy(() -> put(table, Map.of(Step.Column.C, "found"))).isInstanceOf(IOException.class);
            clock.move(1);
            put(table, "a1");
            assertThat(table.drain()).isZero();
            table.flush(Step.Column.A.family());
            table.die();
            table.recover();
            assertThat(table.drain()).isZero();

            assertThat(valuesOf(table)).containsExactly("a1", "found");
            everyIndexHasTheEntryOfTheRow(table);
        }
    }

    /** Such a change is delivered again, though the past of the row may be gone. */
    @Test
    void aReplayThatRestoresOneFamilyOfAnAcknowledgedWriteChangesNoIndex() throws IOException {
        FakeConnection network = new FakeConnection();
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            put(table, Map.of(Step.Column.A, "a0", Step.Column.C, "c0"));
            clock.move(1);
            put(table, Map.of(Step.Column.A, "a1", Step.Column.C, "c1"));
            clock.move(1);
            put(table, "a2");
            assertThat(table.drain()).isZero();
            table.flush(Step.Column.A.family());
            table.die();
            table.recover();
            put(table, "a3");
            assertThat(table.drain()).isZero();

            for (IndexDefinition index : table.indexes()) {
                var expected = LocalTable.expected(index, table.visible(List.of("r0")));
                if (index.scheme().leavesStaleEntries()) {
                    assertThat(table.entries(index)).as(index.name()).containsAll(expected);
                } else {
                    assertThat(table.entries(index)).as(index.name()).isEqualTo(expected);
                }
            }
        }
    }

    private static void everyIndexHasTheEntryOfTheRow(LocalTable table) throws IOException {
        for (IndexDefinition index : table.indexes()) {
            assertThat(table.entries(index))
                    .as(index.name())
                    .containsAll(LocalTable.expected(index, table.visible(List.of("r0"))));
        }
    }

    private static List<String> valuesOf(LocalTable table) throws IOException {
        return table.visible(List.of("r0")).get("r0").stream()
                .map(cell -> Bytes.toString(CellUtil.cloneValue(cell)))
                .toList();
    }

    private static IndexDefinition named(LocalTable table, String name) {
        return table.indexes().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static void put(LocalTable table, Map<Step.Column, String> values) throws IOException {
        Put put = new Put(ROW);
        values.forEach((column, value) -> put.addColumn(column.family(), column.qualifier(), Bytes.toBytes(value)));
        table.regionOf(ROW).put(put);
    }

    private static IndexDefinition ofScheme(LocalTable table, IndexScheme scheme) {
        return table.indexes().stream()
                .filter(each -> each.scheme() == scheme)
                .findFirst()
                .orElseThrow();
    }

    private static boolean has(LocalTable table, IndexDefinition index, String value) {
        return table.entries(index).stream().anyMatch(entry -> entry.startsWith(value));
    }

    private static void put(LocalTable table, String value) throws IOException {
        put(table, Map.of(Step.Column.A, value));
    }

    @Test
    void returnsTheLatestTimeOfEachRow() {
        UncertainWrites uncertain = new UncertainWrites();
        assertThat(uncertain.latestTime(Flights.rowKey("r1"))).isZero();
        uncertain.add(Flights.rowKey("r1"), 100, 90);
        uncertain.add(Flights.rowKey("r1"), 101, 80);
        assertThat(uncertain.latestTime(Flights.rowKey("r1"))).isEqualTo(90);
        assertThat(uncertain.latestTime(Flights.rowKey("r2"))).isZero();
        for (int i = 2; i < 2_000; i++) {
            uncertain.add(Flights.rowKey("r" + i), 100 + i, 100 + i);
        }
        assertThat(uncertain.latestTime(Flights.rowKey("r7"))).isEqualTo(2_099);
        assertThat(uncertain.latestTime(Flights.rowKey("other"))).isEqualTo(2_099);
    }

    @Test
    void allRowsCountAsUncertainIfThereAreTooMany() {
        UncertainWrites uncertain = new UncertainWrites();
        for (int i = 0; i < 2_000; i++) {
            uncertain.add(Flights.rowKey("r" + i), 100 + i, 100 + i);
        }
        assertThat(uncertain.bound(Flights.rowKey("r7"), 5_000)).isEqualTo(106);
        assertThat(uncertain.bound(Flights.rowKey("r1500"), 5_000)).isEqualTo(1_099);
        assertThat(uncertain.bound(Flights.rowKey("other"), 5_000)).isEqualTo(1_099);
        assertThat(uncertain.bound(Flights.rowKey("other"), 50)).isEqualTo(50);
    }
}
