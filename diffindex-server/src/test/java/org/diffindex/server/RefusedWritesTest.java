package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;
import static org.diffindex.server.sequences.Step.Column.A;
import static org.diffindex.server.sequences.Step.Column.C;
import static org.diffindex.server.sequences.Step.Column.N;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests writes that a server refuses because of its state, on a real region: nothing of them is written. */
class RefusedWritesTest {
    private static final long START = 1_700_000_000_000L;
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final byte[] CARRIER = Bytes.toBytes("carrier");

    @TempDir
    Path folder;

    /** The table got its indexes while the setting was different. */
    @Test
    void underASettingThatLosesIndexUpdatesRefusesOnlyIndexedWrites() throws IOException {
        List<IndexDefinition> indexes =
                List.of(Flights.byOrigin(IndexScheme.SYNC_FULL), Flights.byOrigin(IndexScheme.ASYNC_SIMPLE));
        try (LocalRegion local = new LocalRegion(folder, 1, indexes, Map.of(Settings.SPLIT_TO_HFILE, "true"))) {
            assertThatThrownBy(() -> local.region().put(put("r", "ORD")))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("nothing was written")
                    .hasMessageContaining(Settings.SPLIT_TO_HFILE + "=true")
                    .hasMessageContaining("set it to false");
            assertThatThrownBy(() -> local.region().delete(new Delete(row("r")).addColumns(F, ORIGIN)))
                    .isInstanceOf(DoNotRetryIOException.class);
            assertThat(local.region().get(new Get(row("r"))).isEmpty()).isTrue();

            local.region().put(new Put(row("r")).addColumn(F, CARRIER, Bytes.toBytes("UA")));
            assertThat(local.region().get(new Get(row("r"))).getValue(F, CARRIER))
                    .isEqualTo(Bytes.toBytes("UA"));
            assertThat(local.drain()).isZero();
            for (IndexDefinition index : indexes) {
                assertThat(local.indexTable(index).entries()).isEmpty();
            }
        }
    }

    /** The timestamp of the checked cell becomes the row's stamp, by which the entry expires. */
    @Test
    void underATtlRefusesACheckOfACellAheadOfTheClockUntilTheClockReachesIt() throws IOException {
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.TIME_TO_LIVE.open(folder, clock, new FakeConnection())) {
            HRegion region = table.regionOf(row("r"));
            region.put(new Put(row("r")).addColumn(C.family(), C.qualifier(), START + 5, Bytes.toBytes("0")));
            assertThatThrownBy(() -> putAIfC(region, "0"))
                    .isInstanceOf(RegionTooBusyException.class)
                    .hasMessageContaining("5 ms ahead")
                    .hasMessageContaining("nothing was written");
            assertThat(region.get(new Get(row("r"))).containsColumn(A.family(), A.qualifier()))
                    .isFalse();
            clock.move(5);
            assertThat(putAIfC(region, "0")).isTrue();
        }
    }

    /** HBase dates each append later than the last, and the put still later. */
    @Test
    void underATtlChecksACellThatAppendsHaveDatedAheadOfTheClock() throws IOException {
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.TIME_TO_LIVE.open(folder, clock, new FakeConnection())) {
            HRegion region = table.regionOf(row("r"));
            region.put(new Put(row("r")).addColumn(C.family(), C.qualifier(), Bytes.toBytes("0")));
            for (int i = 0; i < 5; i++) {
                region.append(new Append(row("r")).addColumn(C.family(), C.qualifier(), Bytes.toBytes("1")));
            }
            assertThat(putAIfC(region, "011111")).isTrue();
            Result written = region.get(new Get(row("r")));
            assertThat(written.getColumnLatestCell(A.family(), A.qualifier()).getTimestamp())
                    .isEqualTo(START + 6);
            Map<String, List<Cell>> visible = table.visible(List.of("r"));
            assertThat(table.drain()).isZero();
            assertThat(table.indexes()).allSatisfy(index -> assertThat(table.entries(index))
                    .isEqualTo(LocalTable.expected(index, visible)));
        }
    }

    @Test
    void underATtlRefusesACheckOfACellMoreThanASecondAheadWithoutRetry() throws IOException {
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.TIME_TO_LIVE.open(folder, clock, new FakeConnection())) {
            HRegion region = table.regionOf(row("r"));
            region.put(new Put(row("r")).addColumn(C.family(), C.qualifier(), START + 1_001, Bytes.toBytes("0")));
            assertThatThrownBy(() -> putAIfC(region, "0")).isInstanceOf(DoNotRetryIOException.class);
            clock.move(1);
            assertThatThrownBy(() -> putAIfC(region, "0")).isInstanceOf(RegionTooBusyException.class);
        }
    }

    /** A refused call must not use up its nonce: HBase's client sends it again with the same one. */
    @Test
    void aRefusedCallThatIsSentAgainWithItsNonceIsAppliedOnce() throws IOException {
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.TIME_TO_LIVE.open(folder, clock, new FakeConnection())) {
            HRegion region = table.regionOf(row("r"));
            region.put(new Put(row("r")).addColumn(C.family(), C.qualifier(), START + 5, Bytes.toBytes("0")));
            assertThatThrownBy(() -> putAAndIncrementNIfC(region, "0")).isInstanceOf(RegionTooBusyException.class);
            assertThatThrownBy(() -> putAAndIncrementNIfC(region, "0")).isInstanceOf(RegionTooBusyException.class);
            clock.move(5);
            assertThat(putAAndIncrementNIfC(region, "0")).isTrue();
            Result written = region.get(new Get(row("r")));
            assertThat(Bytes.toLong(written.getValue(N.family(), N.qualifier())))
                    .isEqualTo(1);
            Map<String, List<Cell>> visible = table.visible(List.of("r"));
            assertThat(table.indexes())
                    .filteredOn(index -> !index.scheme().isAsynchronous())
                    .isNotEmpty()
                    .allSatisfy(
                            index -> assertThat(table.entries(index)).isEqualTo(LocalTable.expected(index, visible)));
        }
    }

    private static boolean putAAndIncrementNIfC(HRegion region, String value) throws IOException {
        RowMutations both = RowMutations.of(List.of(
                new Put(row("r")).addColumn(A.family(), A.qualifier(), Bytes.toBytes("value")),
                new Increment(row("r")).addColumn(N.family(), N.qualifier(), 1)));
        return region.checkAndMutate(
                        CheckAndMutate.newBuilder(row("r"))
                                .ifEquals(C.family(), C.qualifier(), Bytes.toBytes(value))
                                .build(both),
                        7,
                        8)
                .isSuccess();
    }

    private static boolean putAIfC(HRegion region, String value) throws IOException {
        return region.checkAndMutate(CheckAndMutate.newBuilder(row("r"))
                        .ifEquals(C.family(), C.qualifier(), Bytes.toBytes(value))
                        .build(new Put(row("r")).addColumn(A.family(), A.qualifier(), Bytes.toBytes("value"))))
                .isSuccess();
    }

    @Test
    void whileHalfOfTheHandlersWaitForAnIndexTableRefusesFurtherWrites() throws Exception {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL);
        Map<String, String> fewHandlers = Map.of(HConstants.REGION_SERVER_HANDLER_COUNT, "4");
        ExecutorService handlers = Executors.newCachedThreadPool();
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(index), fewHandlers)) {
            local.network().faults.holdAll();
            List<Future<?>> writes = new ArrayList<>();
            int[] refused = {-1};
            Waiting.until("a write is refused", () -> {
                refused[0] = indexOfRefused(writes);
                if (refused[0] < 0) {
                    String row = "r" + writes.size();
                    writes.add(handlers.submit(() -> {
                        local.region().put(put(row, "ORD"));
                        return null;
                    }));
                }
                return refused[0] >= 0;
            });
            assertThat(local.region().get(new Get(row("r" + refused[0]))).isEmpty())
                    .isTrue();
            local.region().put(new Put(row("r")).addColumn(F, CARRIER, Bytes.toBytes("UA")));

            local.network().faults.end();

            int letIn = 0;
            for (Future<?> write : writes) {
                letIn += isRefused(write) ? 0 : 1;
            }
            assertThat(letIn).as("writes that were admitted").isGreaterThanOrEqualTo(2);
            local.region().put(put("r" + refused[0], "LAX"));
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(index).entries()).isEqualTo(local.expected(index));
        } finally {
            handlers.shutdownNow();
        }
    }

    @Test
    void aWriteThatIsRefusedForLackOfMemoryIsNotWaitedFor() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(Flights.byOrigin(IndexScheme.ASYNC_SIMPLE)))) {
            long all = ServerParts.of(local).memory().limit();
            ServerParts.of(local).memory().reserve(all);
            assertThatThrownBy(() -> local.region().put(put("r", "ORD")))
                    .isInstanceOf(RegionTooBusyException.class)
                    .hasMessageContaining("nothing was written");
            assertThat(local.region().get(new Get(row("r"))).isEmpty()).isTrue();
            ServerParts.of(local).memory().release(all);
            assertThat(local.drain()).isZero();
            local.region().put(put("r", "ORD"));
        }
    }

    /**
     * HBase's client in the server shares the cells of what it sends: if the server had filled in their times, they would
     * count as the client's when it sends them again.
     */
    @Test
    void aWriteThatIsRefusedForNowKeepsNoTimeOfTheServer() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(Flights.byOrigin(IndexScheme.ASYNC_SIMPLE)))) {
            long all = ServerParts.of(local).memory().limit();
            ServerParts.of(local).memory().reserve(all);
            Put busy = put("r", "ORD");
            assertThatThrownBy(() -> local.region().put(busy)).isInstanceOf(RegionTooBusyException.class);
            Put one = put("s", "ORD");
            Put given = new Put(row("t")).addColumn(F, Bytes.toBytes("origin"), 7, Bytes.toBytes("ORD"));
            OperationStatus[] ofBatch = local.region().batchMutate(new Mutation[] {one, given});
            assertThat(ofBatch)
                    .allMatch(status -> status.getOperationStatusCode() == OperationStatusCode.STORE_TOO_BUSY);
            Put unindexed = new Put(row("v")).addColumn(F, CARRIER, Bytes.toBytes("UA"));
            Put indexed = put("v", "ORD");
            RowMutations both = RowMutations.of(List.of(indexed, unindexed));
            assertThatThrownBy(() -> local.region().mutateRow(both)).isInstanceOf(RegionTooBusyException.class);
            ServerParts.of(local).memory().release(all);
            local.region().getCoprocessorHost().preClose(false);
            Put closing = put("u", "ORD");
            assertThatThrownBy(() -> local.region().put(closing)).isInstanceOf(NotServingRegionException.class);

            for (Put put : List.of(busy, one, indexed, unindexed, closing)) {
                assertThat(timeOf(put)).isEqualTo(HConstants.LATEST_TIMESTAMP);
            }
            assertThat(timeOf(given)).isEqualTo(7);
        }
    }

    @Test
    void aRowThatIsWrittenTooOftenKeepsNoTimeOfTheServer() throws IOException {
        try (ManualClock clock = ManualClock.install(START);
                LocalRegion local = new LocalRegion(folder, 1, List.of(Flights.byOrigin(IndexScheme.ASYNC_SIMPLE)))) {
            Put last = put("r", "ORD");
            while (local.region().batchMutate(new Mutation[] {last})[0].getOperationStatusCode()
                    == OperationStatusCode.SUCCESS) {
                assertThat(timeOf(last)).as("time").isLessThan(clock.currentTime() + 5_000);
                last = put("r", "ORD");
            }
            assertThat(timeOf(last)).isEqualTo(HConstants.LATEST_TIMESTAMP);
        }
    }

    private static long timeOf(Put put) {
        return put.getFamilyCellMap().get(F).get(0).getTimestamp();
    }

    /** HBase still accepts writes then; nothing would deliver one that came after the wait for the indexes. */
    @Test
    void aRegionThatIsAboutToCloseRefusesIndexedWrites() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(Flights.byOrigin(IndexScheme.ASYNC_SIMPLE)))) {
            local.region().getCoprocessorHost().preClose(false);
            assertThatThrownBy(() -> local.region().put(put("r", "ORD")))
                    .isInstanceOf(NotServingRegionException.class)
                    .hasMessageContaining("nothing was written");
            assertThat(local.region().get(new Get(row("r"))).isEmpty()).isTrue();
        }
    }

    /** Returns the first write that was refused because the server is too busy; -1 if none was yet. */
    private static int indexOfRefused(List<Future<?>> writes) throws InterruptedException {
        for (int i = 0; i < writes.size(); i++) {
            if (writes.get(i).isDone()) {
                assertThat(isRefused(writes.get(i)))
                        .as("whether write %s, which did not wait for the index table, was refused", i)
                        .isTrue();
                return i;
            }
        }
        return -1;
    }

    /** Waits for a write. Returns whether it was refused because the server is too busy. */
    private static boolean isRefused(Future<?> write) throws InterruptedException {
        try {
            write.get();
            return false;
        } catch (ExecutionException e) {
            assertThat(e.getCause())
                    .isInstanceOf(RegionTooBusyException.class)
                    .hasMessageContaining("nothing was written");
            return true;
        }
    }

    private static Put put(String row, String origin) {
        return new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes(origin));
    }
}
