package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.Uninterruptibles;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleRequest;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleResponse;
import org.diffindex.protocol.DiffIndexProtos.StaleEntry;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.maintain.RowClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that, whatever readers report, only entries that their rows do not yield are deleted, and none that a row
 * needs.
 */
class StaleCleanupTest {
    private static final int KEY_BYTES = 10_000;
    private static final byte[] ORIGIN = Bytes.toBytes("origin");

    private final IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_INSERT);

    @TempDir
    Path folder;

    private LocalRegion local;

    /** Opens a region that remembers no rows, and therefore reports nothing by itself. */
    private void open(Map<String, String> settings) throws IOException {
        Map<String, String> all = new HashMap<>(settings);
        all.putIfAbsent(Settings.STALE_DELAY_MS, "0");
        all.put(Settings.ROW_MEMORY_BYTES, "0");
        local = new LocalRegion(folder, 1, List.of(index), all);
    }

    @AfterEach
    void everyRowHasItsEntry() throws IOException {
        assertThat(local.drain()).isZero();
        assertThat(local.indexTable(index).entries()).containsAll(local.expected(index));
        local.close();
    }

    @Test
    void deletesExactlyTheStaleEntries() throws IOException {
        open(Map.of());
        put("r", "ORD");
        put("r", "LAX");
        put("s", "ORD");
        put("gone", "JFK");
        local.region().delete(new Delete(row("gone")));
        assertThat(report(entries())).isEqualTo(4);
        awaitOnlyPresentEntries();
    }

    /** A client may give the timestamp 0, and a backfill puts the entry of such a row at it. */
    @Test
    void deletesAStaleEntryThatABackfillPutAtTheTimestampZero() throws IOException {
        open(Map.of());
        local.region().put(new Put(row("r")).addColumn(F, ORIGIN, 0, Bytes.toBytes("ORD")));
        local.indexTable(index).clear(); // as if the index had been created after the put
        List<FillResponse> pages = new ArrayList<>();
        FillRequest request = FillRequest.newBuilder()
                .setIndex(index.name())
                .setIndexId(index.id())
                .setMaxRows(100)
                .build();
        local.endpoint().fill(new ServerRpcController(), request, pages::add);
        assertThat(pages.get(0).getEntries()).isEqualTo(1);
        put("r", "LAX");
        report(entries());
        awaitOnlyPresentEntries();
    }

    /** A later index of the same name may have an entry at the key. */
    @Test
    void looksForThePresentEntryInItsOwnIndex() throws IOException {
        open(Map.of());
        put("r", "ORD");
        put("r", "LAX");
        report(entries());
        awaitOnlyPresentEntries();
        assertThat(local.network().lookedUpIn).containsExactly(index.id());
    }

    /** The close may have recorded the stamps of the region before the row got one here. */
    @Test
    void sendsNothingWhenTheRegionHasBegunToClose() throws Exception {
        open(Map.of());
        put("r", "ORD");
        put("r", "LAX");
        CompletableFuture<Thread> cleaner = new CompletableFuture<>();
        CountDownLatch isClosing = new CountDownLatch(1);
        local.network().duringLookup = () -> {
            cleaner.complete(Thread.currentThread());
            Uninterruptibles.awaitUninterruptibly(isClosing);
        };
        report(entries());
        Thread cleanup = cleaner.get(20, TimeUnit.SECONDS);
        local.region().getCoprocessorHost().preClose(false);
        isClosing.countDown();
        Waiting.until("the cleanup has ended", () -> Arrays.stream(cleanup.getStackTrace())
                .noneMatch(frame -> frame.getClassName().equals(StaleCleanup.class.getName())));
        assertThat(hasEntry("ORD")).isTrue();
        local.close();
        open(Map.of());
    }

    @Test
    void keepsTheOldEntryUntilTheIndexHasTheNewOne() throws IOException {
        open(Map.of());
        put("r", "ORD");
        put("s", "JFK");
        put("s", "SFO");
        local.network().faults.hold(); // calls of the APS remain in flight
        local.network().faults.failNext(1, false);
        assertThatThrownBy(() -> put("r", "LAX")).isInstanceOf(IndexUpdateDelayedException.class);
        report(entries());
        Waiting.until("the stale entry of another row is deleted", () -> !hasEntry("JFK"));
        assertThat(hasEntry("ORD"))
                .as("the only entry by which readers find row r")
                .isTrue();
        local.network().faults.end();
        assertThat(local.drain()).isZero();
        Waiting.until("the old entry is deleted when it is reported again", () -> {
            report(entries());
            return !hasEntry("ORD");
        });
    }

    /** The deletion of such an entry may be in flight. */
    @Test
    void anEarlierEntryAtThePresentKeyIsNotTakenForThePresentEntry() throws IOException {
        open(Map.of());
        put("r", "LAX");
        put("r", "ORD");
        put("s", "JFK");
        put("s", "SFO");
        local.network().faults.hold();
        local.network().faults.failNext(1, false);
        assertThatThrownBy(() -> put("r", "LAX")).isInstanceOf(IndexUpdateDelayedException.class);
        report(entries());
        Waiting.until("the stale entry of another row is deleted", () -> !hasEntry("JFK"));
        assertThat(hasEntry("ORD"))
                .as("the only entry by which readers find row r")
                .isTrue();
        local.network().faults.end();
    }

    /** A write that is lost with its server may already have put its entry over that of the row's present value. */
    @Test
    void anEntryThatALostWriteReplacedIsTakenForThePresentEntry() throws IOException {
        open(Map.of());
        put("r", "ORD");
        put("r", "LAX");
        byte[] present = Bytes.toBytes(keyOf("LAX"));
        Cell cell = local.indexTable(index).visible().get(present);
        long later = cell.getTimestamp() + 1;
        local.indexTable(index).apply(index.entryFormat().put(new IndexEntry(present, later), later));
        report(entries());
        Waiting.until("the stale entry is deleted", () -> !hasEntry("ORD"));
        assertThat(hasEntry("LAX")).isTrue();
        put("r", "LAX");
    }

    @Test
    void aRowThatIsWrittenTooOftenDoesNotBlockOthers() throws IOException {
        try (ManualClock clock = ManualClock.install(1_700_000_000_000L)) {
            open(Map.of());
            for (int i = 0; i <= RowClock.MOST_AHEAD_MS; i++) {
                put("hot", i % 2 == 0 ? "SEA" : "DEN");
            }
            put("r", "ORD");
            put("r", "LAX");
            report(entries());
            Waiting.until("the stale entry of another row is deleted", () -> !hasEntry("ORD"));
            assertThat(hasEntry("DEN")).isTrue();
            clock.move(RowClock.MOST_AHEAD_MS);
            report(entries());
            awaitOnlyPresentEntries();
        }
    }

    /** The reservation counts the bytes of the deletes, not the entries. */
    @Test
    void reservesTheMemoryOfItsDeletesWhileTheyAreInFlight() throws IOException {
        open(Map.of());
        put("r", "x".repeat(KEY_BYTES));
        put("r", "LAX");
        List<Cell> entries = entries();
        long before = ServerParts.of(local).memory().used();
        local.network().faults.holdNext();
        report(entries);
        Waiting.until("the delete is in flight", () -> local.network().faults.waiting() == 1);
        long held = ServerParts.of(local).memory().used() - before;
        local.network().faults.end();
        assertThat(held).isBetween(2L * KEY_BYTES, 10L * KEY_BYTES);
        awaitOnlyPresentEntries();
        Waiting.until(
                "the memory is released", () -> ServerParts.of(local).memory().used() == before);
    }

    @Test
    void anEntryThatIsPutAgainIsVisibleWhateverStampWasReported() throws IOException {
        open(Map.of());
        put("r", "ORD");
        put("r", "LAX");
        report(List.of(Flights.cell(keyOf("ORD"), "", "", Long.MAX_VALUE - 1)));
        awaitOnlyPresentEntries();
        put("r", "ORD");
        assertThat(hasEntry("ORD")).isTrue();
    }

    @Test
    void keepsTheEntryOfAWriteWithUnknownOutcome() throws IOException {
        open(Map.of());
        put("r", "JFK");
        put("r", "LAX");
        local.failingSyncs.failNext(1);
        assertThatThrownBy(() -> put("r", "ORD")).isInstanceOf(IOException.class);
        Waiting.until("the entry has arrived before the row", () -> hasEntry("ORD"));
        report(entries());
        Waiting.until("the older stale entry is deleted", () -> !hasEntry("JFK"));
        assertThat(hasEntry("ORD")).isTrue();
        assertThat(local.indexTable(index).deleteCount())
                .as("deletes, of which none hides nothing")
                .isEqualTo(1);
    }

    @Test
    void aReportWaitsBeforeItIsProcessed() throws IOException {
        open(Map.of(Settings.STALE_DELAY_MS, "3600000"));
        put("r", "ORD");
        put("r", "LAX");
        assertThat(report(entries())).isEqualTo(2);
        assertThat(report(entries())).as("the same entries, reported again").isEqualTo(2);
        assertThat(ServerParts.of(local).staleReports().size()).isEqualTo(2);
        assertThat(hasEntry("ORD")).isTrue();
    }

    @Test
    void dropsReportsForWhichThereIsNoMemory() throws IOException {
        open(Map.of(Settings.STALE_DELAY_MS, "3600000"));
        List<Cell> many = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            many.add(Flights.cell(keyOf("x".repeat(30_000) + i), "", "", 1));
        }
        int accepted = report(many);
        assertThat(accepted)
                .isLessThan((int) (StaleReports.MOST_BYTES / 30_000))
                .isPositive();
        assertThat(report(many)).isEqualTo(accepted);
    }

    private void put(String row, String origin) throws IOException {
        local.region().put(new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes(origin)));
    }

    private List<Cell> entries() {
        return new ArrayList<>(local.indexTable(index).visible().values());
    }

    private boolean hasEntry(String origin) {
        return local.indexTable(index).entries().stream().anyMatch(entry -> entry.startsWith(origin));
    }

    private void awaitOnlyPresentEntries() {
        Waiting.until(
                "the index holds what the rows yield",
                () -> local.indexTable(index).entries().equals(local.expected(index)));
    }

    /** Returns the key of row r at an origin. */
    private String keyOf(String origin) {
        return Bytes.toString(Flights.entry(index, "r", Flights.cell("r", "origin", origin, 1))
                .key());
    }

    private int report(List<Cell> entries) {
        ReportStaleRequest.Builder request =
                ReportStaleRequest.newBuilder().setIndex(index.name()).setIndexId(index.id());
        for (Cell entry : entries) {
            byte[] key = CellUtil.cloneRow(entry);
            request.addEntries(StaleEntry.newBuilder()
                    .setRow(ByteString.copyFrom(
                            new IndexKeyCodec(index).decode(key).row()))
                    .setKey(ByteString.copyFrom(key))
                    .setStamp(entry.getTimestamp()));
        }
        List<ReportStaleResponse> responses = new ArrayList<>();
        local.endpoint().reportStale(new ServerRpcController(), request.build(), responses::add);
        return responses.get(0).getAccepted();
    }
}
