package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.util.Bytes;
import org.assertj.core.api.ThrowableAssert;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.protocol.DiffIndexProtos.DrainResponse;
import org.diffindex.protocol.DiffIndexProtos.IndexLag;
import org.diffindex.protocol.DiffIndexProtos.Undelivered;
import org.diffindex.server.local.DeliveryFaults;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.sequences.Step.Column;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that an index which is unavailable, or does not answer, delays only itself. */
class IsolationTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final byte[] DATE = Bytes.toBytes("date");
    private static final IndexDefinition AWAY = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
    private static final IndexDefinition HEALTHY = Flights.byOrigin(IndexScheme.ASYNC_SESSION);

    /** Enough rows for several batches of the APS. */
    private static final int ROWS = 2_000;

    @TempDir
    Path folder;

    @ParameterizedTest(name = "index hangs: {0}")
    @ValueSource(booleans = {false, true})
    void otherIndexesOfTheTableReceiveAllRows(boolean hangs) throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(AWAY, HEALTHY), Map.of())) {
            begin(local.network().faultsOf(AWAY.indexTable()), hangs);
            write(local, "before");
            write(local, "after");
            Waiting.until(
                    "the healthy index has all rows",
                    () -> local.indexTable(HEALTHY).entries().equals(local.expected(HEALTHY)));
            assertThat(local.indexTable(AWAY).entries()).isEmpty();
            local.region().flush(true);
            local.network().faultsOf(AWAY.indexTable()).end();
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(AWAY).entries()).isEqualTo(local.expected(AWAY));
            assertThat(local.indexTable(HEALTHY).entries()).isEqualTo(local.expected(HEALTHY));
        }
    }

    private static void begin(DeliveryFaults faults, boolean hangs) {
        if (hangs) {
            faults.holdAll();
        } else {
            faults.outage();
        }
    }

    private static void write(LocalRegion local, String value) throws IOException {
        List<Mutation> puts = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            puts.add(new Put(row("r" + i)).addColumn(F, ORIGIN, Bytes.toBytes(value)));
        }
        local.region().batchMutate(puts.toArray(Mutation[]::new));
    }

    @Test
    void aDrainOfAnotherIndexEndsAndEveryDrainReportsTheStalledIndex() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(AWAY, HEALTHY), Map.of())) {
            local.network().faultsOf(AWAY.indexTable()).holdAll();
            write(local, "before");
            DrainResponse healthy = drain(local, 10_000, HEALTHY.name());
            assertThat(healthy.getRemaining()).isZero();
            assertThat(healthy.getBehindList())
                    .extracting(Undelivered::getIndex)
                    .containsExactly(AWAY.name());
            DrainResponse all = drain(local, 0);
            assertThat(all.getRemaining()).isPositive();
            assertThat(all.getBehind(0).getRemaining()).isEqualTo(all.getRemaining());

            IndexLag lag = local.status().getBehindList().stream()
                    .filter(index -> index.getIndex().equals(AWAY.name()))
                    .findFirst()
                    .orElseThrow();
            assertThat(lag.getQueued()).isEqualTo(ROWS);
            assertThat(lag.getStalled()).isTrue();
            local.network().faultsOf(AWAY.indexTable()).end();
            assertThat(local.drain()).isZero();
            assertThat(local.status().getBehindList()).isEmpty();
        }
    }

    /** The remaining changes are on disk for the region's next server, and not in the index. */
    @Test
    void aDrainFailsIfItsRegionIsClosedMeanwhile() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        ServerRpcController controller = new ServerRpcController();
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(AWAY, HEALTHY), Map.of())) {
            local.network().faultsOf(AWAY.indexTable()).outage();
            write(local, "before");
            DrainRequest request =
                    DrainRequest.newBuilder().setTimeoutMs(20_000).build();
            Future<?> drain = thread.submit(() -> local.endpoint().drain(controller, request, response -> {}));
            local.region().close();
            drain.get(1, TimeUnit.MINUTES);
            assertThat(controller.getFailedOn()).isInstanceOf(NotServingRegionException.class);
        } finally {
            thread.shutdownNow();
        }
    }

    /** HBase calls the hook before a close twice if the master closes the region. */
    @Test
    void aCloseWaitsOnceForAWriteThatAnIndexHoldsUp() throws Exception {
        ExecutorService handler = Executors.newSingleThreadExecutor();
        List<IndexDefinition> indexes = List.of(Flights.byOrigin(IndexScheme.SYNC_FULL));
        try (LocalRegion local = new LocalRegion(folder, 1, indexes, Map.of(Settings.CLOSE_WAIT_MS, "3000"))) {
            local.network().faults.holdAll();
            Future<?> write = handler.submit(() -> {
                local.region().put(new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD")));
                return null;
            });
            Waiting.until(
                    "the write waits for the index",
                    () -> local.network().faults.waiting() > 0);
            assertThat(millisecondsOfPreClose(local)).isGreaterThanOrEqualTo(3_000);
            assertThat(millisecondsOfPreClose(local)).isLessThan(3_000);
            local.network().faults.end();
            write.get(20, TimeUnit.SECONDS);
        } finally {
            handler.shutdownNow();
        }
    }

    private static long millisecondsOfPreClose(LocalRegion local) throws IOException {
        long start = System.nanoTime();
        local.region().getCoprocessorHost().preClose(false);
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    /** Otherwise the caller would be told that nothing is left for the index. */
    @Test
    void aDrainOfAnIndexThatTheRegionDoesNotHaveFails() throws IOException {
        ServerRpcController controller = new ServerRpcController();
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(HEALTHY), Map.of())) {
            DrainRequest request = DrainRequest.newBuilder()
                    .setTimeoutMs(1)
                    .addIndexes(HEALTHY.name())
                    .addIndexes("another")
                    .build();
            local.endpoint().drain(controller, request, response -> {});
            assertThat(controller.getFailedOn())
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("Not drained")
                    .hasMessageContaining("another");
        }
    }

    private static DrainResponse drain(LocalRegion local, long timeoutMs, String... indexes) {
        List<DrainResponse> responses = new ArrayList<>();
        local.endpoint()
                .drain(
                        new ServerRpcController(),
                        DrainRequest.newBuilder()
                                .setTimeoutMs(timeoutMs)
                                .addAllIndexes(List.of(indexes))
                                .build(),
                        responses::add);
        return responses.get(0);
    }

    /** A write would wait for 5 s. What the index lacks, of the same row or of others, is in memory, or on disk because memory was short. */
    @ParameterizedTest(name = "on disk: {0}")
    @ValueSource(booleans = {false, true})
    void aSynchronousIndexThatIsAwayDelaysNoWriteThatDoesNotConcernIt(boolean onDisk) throws IOException {
        IndexDefinition away = Flights.byOrigin(IndexScheme.SYNC_FULL);
        IndexDefinition other = byDate("other", IndexScheme.SYNC_FULL);
        IndexDefinition asynchronous = byDate("asynchronous", IndexScheme.ASYNC_SIMPLE);
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(away, other, asynchronous), Map.of())) {
            local.network().faultsOf(away.indexTable()).outage();
            Put ofOrigin = new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD"));
            assertThatThrownBy(() -> local.region().put(ofOrigin)).isInstanceOf(IndexUpdateDelayedException.class);
            if (onDisk) {
                Waiting.until("the update is on disk only", () -> {
                    indexes(local).relieve(1);
                    return indexes(local).metrics().parkedFiles() == 1;
                });
            }

            assertThat(timeOf(() -> {
                        for (String row : List.of("r", "another")) {
                            local.region().put(new Put(row(row)).addColumn(F, DATE, Bytes.toBytes("2024-06-05")));
                            local.region().put(new Put(row(row)).addColumn(F, DATE, 1, Bytes.toBytes("2024-06-06")));
                            local.region().append(new Append(row(row)).addColumn(F, DATE, Bytes.toBytes("T12")));
                            local.region().delete(new Delete(row(row)).addColumns(F, DATE));
                            local.region().increment(new Increment(row(row)).addColumn(F, DATE, 1));
                        }
                    }))
                    .isLessThan(Duration.ofSeconds(3));
            assertThat(local.indexTable(other).entries()).isEqualTo(local.expected(other));

            local.network().faultsOf(away.indexTable()).end();
            assertThat(local.drain()).isZero();
            for (IndexDefinition index : List.of(away, other, asynchronous)) {
                assertThat(local.indexTable(index).entries()).isEqualTo(local.expected(index));
            }
        }
    }

    private static IndexDefinition byDate(String name, IndexScheme scheme) {
        return IndexDefinition.builder(Flights.TABLE, name)
                .column("f", "date", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
    }

    private static RegionIndexes indexes(LocalRegion local) {
        return local.region()
                .getCoprocessorHost()
                .findCoprocessor(IndexObserver.class)
                .parts()
                .indexes();
    }

    @Test
    void anIndexThatHangsHoldsNoSharedThread() throws IOException {
        Map<String, String> oneThread = Map.of(Settings.PROCESSOR_THREADS, "1");
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(AWAY, HEALTHY), oneThread)) {
            local.network().faultsOf(AWAY.indexTable()).holdAll();
            write(local, "before");
            Waiting.until(
                    "a call hangs",
                    () -> local.network().faultsOf(AWAY.indexTable()).waiting() > 0);
            AtomicBoolean isFree = new AtomicBoolean();
            var unused = ServerParts.of(local)
                    .apsThreads()
                    .shared()
                    .schedule(() -> isFree.set(true), 0, TimeUnit.MILLISECONDS);
            Waiting.until("the only thread of the APS is free", isFree::get);
            write(local, "after");
            assertThat(drain(local, 10_000, HEALTHY.name()).getRemaining()).isZero();
            assertThat(local.network().faultsOf(AWAY.indexTable()).waiting())
                    .as("calls that hang")
                    .isEqualTo(1);
            local.network().faultsOf(AWAY.indexTable()).end();
            assertThat(local.drain()).isZero();
        }
    }

    @Test
    void aFlushDoesNotWaitForAnIndexThatIsBehindAndWaitsForOthersOnce() throws Exception {
        Map<String, String> settings = Map.of(Settings.FLUSH_WAIT_MS, "2000");
        IndexDefinition synchronous = Flights.byOrigin(IndexScheme.SYNC_FULL);
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(AWAY, synchronous), settings)) {
            local.network().faultsOf(AWAY.indexTable()).outage();
            write(local, "of an index that is away");
            Waiting.until(
                    "the index is known to be behind",
                    () -> drain(local, 0, synchronous.name()).getRemaining() == 0);
            assertThat(timeOf(() -> local.region().flush(true))).isLessThan(Duration.ofMillis(1_500));

            DeliveryFaults ofSynchronous = local.network().faultsOf(synchronous.indexTable());
            ofSynchronous.holdNext();
            Thread writer = new Thread(
                    () -> assertThatCode(() -> write(local, "held up")).doesNotThrowAnyException());
            writer.start();
            Waiting.until("the write waits", () -> ofSynchronous.waiting() == 1);
            assertThat(timeOf(() -> local.region().flush(true)))
                    .isBetween(Duration.ofMillis(1_900), Duration.ofMillis(3_500));
            local.network().faultsOf(AWAY.indexTable()).end();
            ofSynchronous.end();
            writer.join();
            assertThat(local.drain()).isZero();
        }
    }

    private static Duration timeOf(ThrowableAssert.ThrowingCallable task) {
        long start = System.nanoTime();
        assertThatCode(task).doesNotThrowAnyException();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    void aSynchronousWriteAfterACrashDoesNotWaitForAnUnavailableAsynchronousIndex() throws IOException {
        try (ManualClock clock = ManualClock.install(System.currentTimeMillis())) {
            FakeConnection network = new FakeConnection();
            try (LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
                List<DeliveryFaults> ofAsynchronous = table.indexes().stream()
                        .filter(IndexDefinition::isAsynchronous)
                        .map(index -> network.faultsOf(index.indexTable()))
                        .toList();
                ofAsynchronous.forEach(DeliveryFaults::outage);
                put(table, "q", "lacked by the asynchronous indexes, on disk");
                table.flush();
                put(table, "r", "before");
                table.die();
                table.recover();

                long start = System.nanoTime();
                put(table, "r", "after");
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));

                ofAsynchronous.forEach(DeliveryFaults::end);
                assertThat(table.drain()).isZero();
            }
        }
    }

    private static void put(LocalTable table, String row, String value) throws IOException {
        table.regionOf(row(row))
                .put(new Put(row(row)).addColumn(Column.A.family(), Column.A.qualifier(), Bytes.toBytes(value)));
    }
}
