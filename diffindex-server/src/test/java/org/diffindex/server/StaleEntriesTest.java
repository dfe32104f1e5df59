package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which stale entries are deleted although nobody reads by the index. */
class StaleEntriesTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final Map<String, String> AT_ONCE = Map.of(Settings.STALE_DELAY_MS, "0");
    private static final Map<String, String> DELAYED = Map.of(Settings.STALE_DELAY_MS, "3600000");

    private final IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_INSERT);

    @TempDir
    Path folder;

    private LocalRegion local;

    private void open(Map<String, String> settings) throws IOException {
        local = new LocalRegion(folder, 1, List.of(index), settings);
    }

    @AfterEach
    void everyRowHasItsEntry() throws IOException {
        assertThat(local.drain()).isZero();
        assertThat(local.indexTable(index).entries()).containsAll(local.expected(index));
        local.close();
    }

    @Test
    void theEntryThatAPutReplacesIsDeleted() throws IOException {
        open(AT_ONCE);
        put("r", "ORD");
        put("r", "LAX");
        put("r", "SFO");
        put("s", "ORD");
        awaitOnlyPresentEntries();
    }

    /** The write was acknowledged when the index had the new entry. */
    @Test
    void theIndexIsNotAskedForTheEntryThatReplacedTheOldOne() throws IOException {
        open(AT_ONCE);
        put("r", "ORD");
        put("r", "LAX");
        awaitOnlyPresentEntries();
        assertThat(local.network().lookedUpIn).isEmpty();
    }

    /** The entry of the write before it is the one by which readers find the row. */
    @Test
    void aWriteThatIsDelayedKeepsTheEntryThatItReplaces() throws IOException {
        open(Map.of(Settings.STALE_DELAY_MS, "300"));
        put("r", "JFK");
        put("r", "ORD");
        local.network().faults.hold(); // calls of the APS remain in flight
        local.network().faults.failNext(1, false);
        assertThatThrownBy(() -> put("r", "LAX")).isInstanceOf(IndexUpdateDelayedException.class);
        local.network().faults.end();
        Waiting.until("the entry before is deleted", () -> !hasEntry("JFK"));
        assertThat(local.drain()).isZero();
        assertThat(hasEntry("ORD")).isTrue();
    }

    /** The row yields its entry as before, and later, perhaps, another one that is in flight. */
    @Test
    void aDeleteThatLeavesTheEntryReportsNothing() throws IOException {
        open(DELAYED);
        put("r", "ORD");
        local.region().delete(new Delete(row("r")).addColumn(F, Bytes.toBytes("other")));
        local.region().delete(new Delete(row("r")).addColumn(F, ORIGIN, 1));
        assertThat(reports()).isZero();
    }

    @Test
    void theEntryOfADeletedRowIsDeleted() throws IOException {
        open(AT_ONCE);
        put("r", "ORD");
        local.region().delete(new Delete(row("r")));
        awaitOnlyPresentEntries();
        assertThat(local.indexTable(index).entries()).isEmpty();
    }

    @Test
    void anEntryThatTheRowHasAgainIsKept() throws IOException {
        open(DELAYED);
        put("r", "ORD");
        put("r", "LAX");
        put("r", "ORD");
        assertThat(reports()).as("of ORD and of LAX").isEqualTo(2);
        local.close();
        open(AT_ONCE);
        put("r", "LAX");
        put("r", "ORD");
        awaitOnlyPresentEntries();
        assertThat(hasEntry("ORD")).isTrue();
    }

    @Test
    void aPutOfTheSameValueReportsNothing() throws IOException {
        open(DELAYED);
        put("r", "ORD");
        put("r", "ORD");
        assertThat(reports()).isZero();
    }

    @Test
    void anEntryThatIsReplacedAgainIsReportedOnce() throws IOException {
        open(DELAYED);
        for (int i = 0; i < 3; i++) {
            put("r", "ORD");
            put("r", "LAX");
        }
        assertThat(reports()).as("of ORD and of LAX").isEqualTo(2);
    }

    /** Otherwise the entry that was put since would stay. */
    @Test
    void anEntryThatIsReplacedAgainIsDeletedAsItWasPutLast() throws IOException {
        open(Map.of(Settings.STALE_DELAY_MS, "300"));
        for (int i = 0; i < 3; i++) {
            put("r", "ORD");
            put("r", "LAX");
        }
        awaitOnlyPresentEntries();
    }

    @Test
    void aWriteOfARowThatIsNotRememberedReportsNothing() throws IOException {
        open(Map.of(Settings.STALE_DELAY_MS, "3600000", Settings.ROW_MEMORY_BYTES, "0"));
        put("r", "ORD");
        put("r", "LAX");
        assertThat(reports()).isZero();
    }

    @Test
    void writesLeaveRoomForTheReportsOfReaders() throws IOException {
        open(DELAYED);
        for (int i = 0; i < 200; i++) {
            put("r" + i, "x".repeat(30_000) + "ORD");
            put("r" + i, "LAX");
        }
        assertThat(reports())
                .isBetween(1, (int) (StaleReports.MOST_BYTES_FOR_WRITES / 30_000))
                .isGreaterThan((int) (StaleReports.MOST_BYTES_FOR_WRITES / 31_000) - 2);
    }

    /** Until the index has the new entry, the old one is the only one by which readers find the row. */
    @Test
    void aDelayedWriteReportsNothing() throws IOException {
        open(AT_ONCE);
        put("r", "ORD");
        local.network().faults.hold(); // calls of the APS remain in flight
        local.network().faults.failNext(1, false);
        assertThatThrownBy(() -> put("r", "LAX")).isInstanceOf(IndexUpdateDelayedException.class);
        assertThat(reports()).isZero();
        assertThat(hasEntry("ORD")).isTrue();
        local.network().faults.end();
    }

    /** The wait would last until the delivery times out, once for each page of entries. */
    @Test
    void aFlushDoesNotWaitForACleanupWhoseIndexHangs() throws IOException {
        open(Map.of(Settings.STALE_DELAY_MS, "300", Settings.FLUSH_WAIT_MS, "3600000"));
        put("r", "ORD");
        put("r", "LAX");
        local.network().faults.holdAll();
        Waiting.until(
                "the cleanup waits for the index", () -> local.network().faults.waiting() > 0);
        local.region().flush(true);
        local.network().faults.end();
        awaitOnlyPresentEntries();
    }

    /** No memory of the row from before the increment is taken for what it shows. */
    @Test
    void otherWritesOfTheRowAreSeen() throws IOException {
        open(AT_ONCE);
        put("r", "ORD");
        put("r", "LAX");
        local.region().increment(new Increment(row("r")).addColumn(F, Bytes.toBytes("count"), 1));
        local.region().delete(new Delete(row("r")).addColumn(F, ORIGIN)); // LAX again goes, ORD reappears
        awaitOnlyPresentEntries();
    }

    private void put(String row, String origin) throws IOException {
        local.region().put(new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes(origin)));
    }

    private int reports() {
        return ServerParts.of(local).staleReports().size();
    }

    private boolean hasEntry(String origin) {
        return local.indexTable(index).entries().stream().anyMatch(entry -> entry.startsWith(origin));
    }

    private void awaitOnlyPresentEntries() {
        Waiting.until(
                "the index holds what the rows yield",
                () -> local.indexTable(index).entries().equals(local.expected(index)));
    }
}
