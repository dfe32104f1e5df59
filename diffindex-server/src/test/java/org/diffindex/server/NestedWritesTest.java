package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.LeasedRead;
import org.diffindex.model.SessionChange;
import org.diffindex.server.OtherCoprocessorsTest.Deed;
import org.diffindex.server.OtherCoprocessorsTest.Neighbour;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.PathIntoRegion;
import org.diffindex.server.local.PutProcessor;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a user's coprocessor that writes within the hooks of other writes, on real regions. */
@Timeout(60)
class NestedWritesTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final String MIRROR = "mirror";
    private static final int BEFORE_THE_INDEX = Coprocessor.PRIORITY_USER - 1;
    private static final int AFTER_THE_INDEX = Coprocessor.PRIORITY_USER + 1;
    private static final IndexDefinition SYNC = Flights.byOrigin(IndexScheme.SYNC_FULL);
    private static final IndexDefinition BY_DATE = IndexDefinition.builder(Flights.TABLE, "by_date")
            .column("f", "date", ColumnTypes.STRING)
            .scheme(IndexScheme.ASYNC_SIMPLE)
            .build();

    private final ExecutorService handlers = Executors.newCachedThreadPool();
    private final List<LocalRegion> opened = new ArrayList<>();
    private int priority = AFTER_THE_INDEX;

    @TempDir
    Path folder;

    @AfterEach
    void close() throws IOException {
        handlers.shutdownNow();
        for (LocalRegion local : opened) {
            local.close();
        }
    }

    private LocalRegion open(Map<String, String> settings, IndexDefinition... indexes) throws IOException {
        LocalRegion local = new LocalRegion(
                folder.resolve("region-" + opened.size()),
                1,
                List.of(indexes),
                settings,
                table -> PathIntoRegion.with(OtherCoprocessorsTest.withNeighbour(table, priority)));
        opened.add(local);
        return local;
    }

    private static Neighbour neighbourOf(LocalRegion local) {
        return local.region().getCoprocessorHost().findCoprocessor(Neighbour.class);
    }

    /** Makes the neighbour of a region do something after each put that is not its own. */
    private static void afterPut(LocalRegion of, Deed<Put> deed) {
        neighbourOf(of).afterPut = put -> {
            if (put.getAttribute(MIRROR) == null) {
                deed.to(put);
            }
        };
    }

    /** Makes the neighbour of a region do something before each batch that is not its own. */
    private static void beforeBatch(LocalRegion of, Deed<Mutation> deed) {
        neighbourOf(of).beforeBatch = batch -> {
            Mutation first = batch.getOperation(0);
            if (first.getAttribute(MIRROR) == null) {
                deed.to(first);
            }
        };
    }

    private static Put put(String row, String origin) {
        return new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes(origin));
    }

    /** Returns a put of the neighbour's. */
    private static Put mirror(String row, String origin) {
        Put mirror = put(row, origin);
        mirror.setAttribute(MIRROR, new byte[] {1});
        return mirror;
    }

    private static Mutation[] others(String... rows) {
        return Arrays.stream(rows).map(row -> mirror(row, "LAX")).toArray(Mutation[]::new);
    }

    private static Put mirrorOfDate(String row) {
        Put mirror = new Put(row(row)).addColumn(F, Bytes.toBytes("date"), Bytes.toBytes("today"));
        mirror.setAttribute(MIRROR, new byte[] {1});
        return mirror;
    }

    private static String outcomeOf(LocalRegion local, Put put) {
        try {
            local.region().put(put);
            return "written";
        } catch (IOException e) {
            return e.toString();
        }
    }

    private Future<String> write(LocalRegion local, Put put) {
        return handlers.submit(() -> outcomeOf(local, put));
    }

    /** Does something on another thread, as HBase's client does for a list of puts, and waits for it. */
    private void onAnotherThread(Callable<?> task) throws IOException {
        try {
            handlers.submit(task).get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IOException(e);
        }
    }

    private static void await(CyclicBarrier barrier) throws IOException {
        try {
            barrier.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new IOException(e);
        }
    }

    /** Returns whether a thread is parked in a method. */
    private static boolean isParkedIn(String method) {
        return Thread.getAllStackTraces().values().stream()
                .anyMatch(stack -> stack.length > 0
                        && stack[0].getMethodName().equals("park")
                        && Arrays.stream(stack)
                                .anyMatch(frame -> frame.getMethodName().equals(method)));
    }

    private static void indexesAreExact(LocalRegion local) throws IOException {
        assertThat(local.drain()).isZero();
        for (IndexDefinition index : local.indexes()) {
            assertThat(local.indexTable(index).entries()).as(index.name()).isEqualTo(local.expected(index));
        }
    }

    /** Returns what the neighbour does in the write of one of the rows r and s: it writes the other one. */
    private static Deed<Mutation> writingTheOtherRow(LocalRegion ofR, LocalRegion ofS) {
        CyclicBarrier both = new CyclicBarrier(2);
        return write -> {
            await(both);
            if (Bytes.equals(write.getRow(), row("r"))) {
                ofS.region().put(mirror("s", "LAX"));
            } else {
                ofR.region().put(mirror("r", "LAX"));
            }
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {BEFORE_THE_INDEX, AFTER_THE_INDEX})
    void neighboursWriteEachOthersRowAfterTheirWrites(int order) throws Exception {
        priority = order;
        LocalRegion local = open(Map.of(), SYNC);
        afterPut(local, writingTheOtherRow(local, local)::to);
        Future<String> first = write(local, put("r", "ORD"));
        Future<String> second = write(local, put("s", "ORD"));
        assertThat(first.get()).isEqualTo("written");
        assertThat(second.get()).isEqualTo("written");
        indexesAreExact(local);
    }

    @ParameterizedTest
    @ValueSource(ints = {BEFORE_THE_INDEX, AFTER_THE_INDEX})
    void neighboursOfTwoRegionsWriteEachOthersRowAfterTheirWrites(int order) throws Exception {
        priority = order;
        LocalRegion ofR = open(Map.of(), SYNC);
        LocalRegion ofS = open(Map.of(), SYNC);
        Deed<Mutation> deed = writingTheOtherRow(ofR, ofS);
        afterPut(ofR, deed::to);
        afterPut(ofS, deed::to);
        Future<String> first = write(ofR, put("r", "ORD"));
        Future<String> second = write(ofS, put("s", "ORD"));
        assertThat(first.get()).isEqualTo("written");
        assertThat(second.get()).isEqualTo("written");
        indexesAreExact(ofR);
        indexesAreExact(ofS);
    }

    @Test
    void anotherThreadWritesTheRowWhileALaterCoprocessorWaitsForIt() throws IOException {
        LocalRegion local = open(Map.of(), SYNC);
        afterPut(
                local,
                put -> onAnotherThread(() -> {
                    local.region().put(mirror("r", "LAX"));
                    return null;
                }));
        assertThat(outcomeOf(local, put("r", "ORD"))).isEqualTo("written");
        assertThat(local.indexTable(SYNC).entries()).hasSize(1).isEqualTo(local.expected(SYNC));
        indexesAreExact(local);
    }

    /** HBase lets no write begin while a flush waits for others. */
    @Test
    void aFlushThatWaitsForAWriteOfTheRowDoesNotStopWhatTheNeighbourWrites() throws Exception {
        priority = BEFORE_THE_INDEX;
        LocalRegion local = open(Map.of(), SYNC);
        afterPut(local, put -> {
            Future<?> second = handlers.submit(() -> local.region().batchMutate(others("r")));
            Waiting.until("the second write waits for the first", () -> isParkedIn("acquireWithin"));
            Future<?> flush = handlers.submit(() -> local.region().flush(true));
            Waiting.until("the flush waits for the second write", () -> isParkedIn("internalPrepareFlushCache"));
            local.region().put(mirror("audit", "JFK"));
            onAnotherThread(second::get);
            onAnotherThread(flush::get);
        });
        assertThat(handlers.submit(() -> outcomeOf(local, put("r", "ORD"))).get(20, TimeUnit.SECONDS))
                .isEqualTo("written");
        indexesAreExact(local);
    }

    /** HBase holds the other row for the second write, and checkAndMutate requires it for itself. */
    @Test
    void aCheckAndMutateByTheNeighbourDoesNotWaitForAWriteThatWaitsForTheOuterOne() throws Exception {
        priority = BEFORE_THE_INDEX;
        LocalRegion local = open(Map.of(), SYNC);
        afterPut(local, put -> {
            Future<?> second = handlers.submit(() -> local.region().batchMutate(others("r", "s")));
            Waiting.until("the second write waits for the first", () -> isParkedIn("acquireWithin"));
            CheckAndMutate check = CheckAndMutate.newBuilder(row("s"))
                    .ifNotExists(F, Bytes.toBytes("absent"))
                    .build(mirror("s", "JFK"));
            assertThat(local.region().checkAndMutate(check).isSuccess()).isTrue();
            onAnotherThread(second::get);
        });
        assertThat(handlers.submit(() -> outcomeOf(local, put("r", "ORD"))).get(20, TimeUnit.SECONDS))
                .isEqualTo("written");
        indexesAreExact(local);
    }

    @Test
    void refusesAWriteOfTheRowBeforeTheBatch() throws IOException {
        LocalRegion local = open(Map.of(), SYNC);
        beforeBatch(local, write -> local.region().put(mirror("r", "LAX")));
        assertThat(outcomeOf(local, put("r", "ORD")))
                .contains("nothing was written")
                .contains("a hook of another write of the row that is not visible yet");
        assertThat(local.region().get(new Get(row("r"))).isEmpty()).isTrue();
        beforeBatch(local, write -> {});
        assertThat(outcomeOf(local, put("r", "ORD"))).isEqualTo("written");
        indexesAreExact(local);
    }

    /** The order of the row's stamps would not be that of its sequence numbers. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRefusedWriteOfTheRowDoesNotDisturbTheOuterOne(boolean isBeforeTheWal) throws IOException {
        LocalRegion local = open(Map.of(), SYNC, BY_DATE);
        List<String> refusals = new ArrayList<>();
        Runnable nested = () -> {
            if (refusals.isEmpty()) {
                refusals.add("none");
                refusals.set(0, outcomeOf(local, mirrorOfDate("r")));
            }
        };
        if (isBeforeTheWal) {
            neighbourOf(local).beforeWal = edit -> nested.run();
        } else {
            beforeBatch(local, write -> nested.run());
        }
        assertThat(outcomeOf(local, put("r", "ORD"))).isEqualTo("written");
        assertThat(refusals)
                .singleElement()
                .asString()
                .contains(DoNotRetryIOException.class.getSimpleName())
                .contains("not visible yet");
        assertThat(local.indexTable(SYNC).entries()).hasSize(1).isEqualTo(local.expected(SYNC));
        indexesAreExact(local);
    }

    /** The client tries again. */
    @Test
    void neighboursOfTwoRegionsWriteEachOthersRowBeforeTheirWrites() throws Exception {
        LocalRegion ofR = open(Map.of(), SYNC);
        LocalRegion ofS = open(Map.of(), SYNC);
        Deed<Mutation> deed = writingTheOtherRow(ofR, ofS);
        beforeBatch(ofR, deed);
        beforeBatch(ofS, deed);
        Future<String> first = write(ofR, put("r", "ORD"));
        Future<String> second = write(ofS, put("s", "ORD"));
        assertThat(List.of(first.get(), second.get()))
                .as("at least one is told to be tried again")
                .anyMatch(outcome -> outcome.contains("a hook of a write that is not visible yet"));
        indexesAreExact(ofR);
        indexesAreExact(ofS);
    }

    @Test
    void aWriteOfAnotherRegionDoesNotFreeTheRowBeforeTheWriteIsVisible() throws Exception {
        LocalRegion local = open(Map.of(), SYNC);
        LocalRegion other = open(Map.of(), SYNC);
        local.region().put(mirror("r", "JFK"));
        List<Future<String>> later = new ArrayList<>();
        AtomicBoolean waits = new AtomicBoolean(); // HBase would only log an AssertionError in a hook
        neighbourOf(local).inMemstore = batch -> {
            if (batch.getOperation(0).getAttribute(MIRROR) == null) {
                other.region().put(mirror("s", "LAX"));
                later.add(write(local, mirror("r", "LAX")));
                Waiting.until("the next write of the row waits", () -> isParkedIn("acquireWithin"));
                waits.set(true);
            }
        };
        assertThat(outcomeOf(local, put("r", "ORD"))).isEqualTo("written");
        assertThat(waits).isTrue();
        assertThat(later.get(0).get(20, TimeUnit.SECONDS)).isEqualTo("written");
        indexesAreExact(local);
        indexesAreExact(other);
    }

    @Test
    void writesAndLookupsOnAnotherThreadBeforeTheBatchEndInTime() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_INSERT);
        LocalRegion local = open(Map.of("hbase.busy.wait.duration", "500"), index);
        beforeBatch(
                local,
                write -> onAnotherThread(() -> {
                    local.region().put(mirror("r", "LAX"));
                    return null;
                }));
        assertThat(outcomeOf(local, put("r", "ORD")))
                .contains("nothing was written: other writes of row 'r' did not end within 500 ms");
        beforeBatch(local, write -> onAnotherThread(() -> local.region().get(LeasedRead.mark(new Get(row("r"))))));
        assertThat(outcomeOf(local, put("r", "ORD")))
                .contains("Not answered: other writes of row 'r' did not end within 500 ms");
        beforeBatch(local, write -> {});
        assertThat(outcomeOf(local, put("r", "ORD"))).isEqualTo("written");
        indexesAreExact(local);
    }

    @Test
    void aWriteOfTheRowByTheNeighbourAfterAWriteDoesNotDelayTheIndexOfThatWrite() throws IOException {
        LocalRegion local = open(Map.of(), SYNC, BY_DATE);
        local.region().put(put("r", "JFK"));
        assertThat(local.drain()).isZero();
        local.network().faults.hold(); // the APS must not deliver in its place
        afterPut(local, put -> local.region().put(mirrorOfDate("r")));
        assertThat(outcomeOf(local, put("r", "ORD"))).isEqualTo("written");
        assertThat(local.indexTable(SYNC).entries()).hasSize(1).isEqualTo(local.expected(SYNC));
        local.network().faults.end();
        indexesAreExact(local);
    }

    /** HBase holds the rows of the outer write only. */
    @Test
    void aWriteByTheNeighbourBeforeAConditionalWriteOfSeveralRowsIsInItsIndexWhenItReturns() throws IOException {
        LocalRegion local = open(Map.of(), SYNC);
        List<Integer> entries = new ArrayList<>();
        beforeBatch(local, write -> {
            local.region().put(mirror("s", "LAX"));
            entries.add(local.indexTable(SYNC).entries().size());
        });
        PathIntoRegion.CONDITIONAL_MULTI_ROW.write(local.region(), List.of(put("r", "ORD")));
        assertThat(entries).containsExactly(1);
        assertThat(local.indexTable(SYNC).entries()).hasSize(2);
        indexesAreExact(local);
    }

    @Test
    void aSessionIsToldOfAWriteWhoseRowTheNeighbourWrites() throws IOException {
        IndexDefinition session = Flights.byOrigin(IndexScheme.ASYNC_SESSION);
        LocalRegion local = open(Map.of(), session, BY_DATE);
        afterPut(local, put -> local.region().put(mirrorOfDate("r")));
        Put put = put("r", "ORD");
        put.setAttribute(SessionChange.ATTRIBUTE, new byte[] {1});
        OperationStatus status = local.region().batchMutate(new Mutation[] {put})[0];
        assertThat(status.getOperationStatusCode()).isEqualTo(OperationStatusCode.SUCCESS);
        assertThat(SessionChange.of(status.getResult()))
                .extracting(SessionChange::index)
                .containsExactly(session.name());
        indexesAreExact(local);
    }

    private static String outcomeOf(LocalRegion local, PutProcessor processor) {
        try {
            local.region().processRowsWithLocks(processor);
            return "written";
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {BEFORE_THE_INDEX, AFTER_THE_INDEX})
    void refusesARowProcessorOfTheNeighbourWithinAWriteThatChangesAnIndexedColumn(int order) throws IOException {
        priority = order;
        LocalRegion local = open(Map.of(), SYNC);
        List<String> outcomes = new ArrayList<>();
        beforeBatch(local, write -> outcomes.add(outcomeOf(local, new PutProcessor(mirror("s", "LAX")))));
        assertThat(outcomeOf(local, put("r", "ORD"))).isEqualTo("written");
        indexesAreExact(local);
        assertThat(outcomes).hasSize(1).allMatch(outcome -> outcome.contains("nothing was written: a row processor"));
    }

    @ParameterizedTest
    @ValueSource(ints = {BEFORE_THE_INDEX, AFTER_THE_INDEX})
    void aRowProcessorOfTheNeighbourAfterAWriteChangesAnUnindexedColumn(int order) throws IOException {
        priority = order;
        LocalRegion local = open(Map.of(), SYNC);
        List<String> outcomes = new ArrayList<>();
        afterPut(local, put -> outcomes.add(outcomeOf(local, new PutProcessor(mirrorOfDate("s")))));
        assertThat(outcomeOf(local, put("r", "ORD"))).isEqualTo("written");
        assertThat(outcomes).containsExactly("written");
        indexesAreExact(local);
    }

    /** The outer write must be indexed as of its own log sequence number. */
    @ParameterizedTest
    @ValueSource(ints = {BEFORE_THE_INDEX, AFTER_THE_INDEX})
    void aRowProcessorOfTheNeighbourWithinADeleteDoesNotHideTheDeleteFromTheIndex(int order) throws IOException {
        priority = order;
        LocalRegion local = open(Map.of(), SYNC);
        local.region().put(put("r", "ORD"));
        List<String> outcomes = new ArrayList<>();
        AtomicBoolean isOuter = new AtomicBoolean(true);
        neighbourOf(local).beforeWal = edit -> {
            if (isOuter.getAndSet(false)) {
                outcomes.add(outcomeOf(local, new PutProcessor(mirrorOfDate("s"))));
            }
        };
        local.region().delete(new Delete(row("r")));
        assertThat(outcomes).containsExactly("written");
        indexesAreExact(local);
    }
}
