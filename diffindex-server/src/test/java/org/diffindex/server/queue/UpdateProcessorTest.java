package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.cell;
import static org.diffindex.server.local.Flights.row;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.spy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.MoreExecutors;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSet;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.local.Flights;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.metrics.IndexCounters;
import org.diffindex.server.spill.SpillFiles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the APS delivers everything, however many attempts it takes, and never releases twice what it held. */
class UpdateProcessorTest {
    private static final long LINGER_MS = 7;

    private static final IndexDefinition ASYNC = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
    private static final IndexDefinition SYNC = Flights.byOrigin(IndexScheme.SYNC_FULL);

    private final TurnByTurn threads = new TurnByTurn();
    private final FlushBarrier barrier = new FlushBarrier();
    private final QueueMemory memory = new QueueMemory(1_000_000);
    private final UpdateQueue queue = new UpdateQueue();
    private final IndexCounters ofAsync = new IndexCounters();
    private final IndexCounters ofSync = new IndexCounters();
    private final DeliveryStats stats =
            new DeliveryStats(Map.of(ASYNC.indexTable(), ofAsync, SYNC.indexTable(), ofSync));
    private final List<String> written = new ArrayList<>();
    private final List<Integer> batches = new ArrayList<>();
    private final Deque<Exception> failures = new ArrayDeque<>();

    /** What happens during the next writes to the index. */
    private final Deque<Runnable> duringWrites = new ArrayDeque<>();

    /** The origin of each row by sequence number. */
    private final TreeMap<String, TreeMap<Long, Cell>> base = new TreeMap<>();

    private final RegionMaintainers maintainers = new RegionMaintainers(List.of(ASYNC, SYNC), this::read);
    private UpdateProcessor processor;
    private SpillFiles files;
    private Spill spill;
    private long sequence;

    @BeforeEach
    void make(@TempDir Path folder) throws IOException {
        Configuration conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, folder.toUri().toString());
        files = SpillFiles.of(conf, RegionInfoBuilder.newBuilder(Flights.TABLE).build(), List.of(ASYNC, SYNC));
        spill = Spills.of(files, queue, new AppliedBatches(), barrier, memory);
        processor = processorOf(queue);
    }

    private UpdateProcessor processorOf(UpdateQueue changes) {
        ApsThreads apsThreads = new ApsThreads(
                threads, MoreExecutors.newDirectExecutorService(), new StalledIndexes(4, threads::nowNanos), LINGER_MS);
        return new UpdateProcessor(new DeliveryParts(
                "region", changes, spill, maintainers, this::write, apsThreads, stats, threads::nowNanos));
    }

    /** The second of two changes arrives just when the run for the first has seen that nothing is left. */
    @Test
    void deliversAChangeThatArrivesWhileARunEnds() {
        UpdateQueue watched = spy(queue);
        processor = processorOf(watched);
        AtomicBoolean isLast = new AtomicBoolean();
        doAnswer(call -> {
                    int size = queue.size();
                    if (size == 0 && isLast.getAndSet(false)) {
                        put("s", "LAX");
                    }
                    return size;
                })
                .when(watched)
                .size();
        doAnswer(call -> queue.take(call.getArgument(0))).when(watched).take(anyInt());
        processor.start();
        put("r", "ORD");
        isLast.set(true);
        runAll();
        assertThat(written).containsExactly("+ORD r@101", "+LAX s@102");
    }

    @Test
    void doesNothingBeforeItIsStarted() {
        put("r", "ORD");
        assertThat(threads.waiting()).isZero();
        processor.start();
        runAll();
        assertThat(written).containsExactly("+ORD r@101");
    }

    @Test
    void deliversQueuedChangesOnceAndReleasesThem() {
        processor.start();
        put("r", "ORD");
        put("s", "LAX");
        runAll();
        assertThat(written).containsExactly("+ORD r@101", "+LAX s@102");
        assertThat(batches).containsExactly(2);
        assertAllLetGo();
        assertThat(stats.delivered.sum()).isEqualTo(2);
        assertThat(stats.indexPuts.sum()).isEqualTo(2);
        assertThat(stats.retries.sum()).isZero();
    }

    @Test
    void takesOneThreadHoweverOftenItIsWoken() {
        processor.start();
        put("r", "ORD");
        put("s", "LAX");
        processor.wake();
        assertThat(threads.waiting()).isEqualTo(1);
    }

    @Test
    void neverDeliversAnEntryBetweenMergedChanges() {
        processor.start();
        put("r", "A");
        runAll();
        written.clear();
        put("r", "B");
        put("r", "C");
        runAll();
        assertThat(written).containsExactly("-A r@101", "+C r@103");
        assertAllLetGo();
    }

    @Test
    void countsUpdatesInFlightAsNotDelivered() {
        List<Backlog> seen = new ArrayList<>();
        duringTheCall = () -> seen.add(processor.backlog());
        failures.add(new IOException("index table not available"));
        processor.start();
        put("r", "ORD");
        long bytes = processor.backlog().bytes();
        assertThat(bytes).isPositive();
        assertThat(threads.next()).isTrue();
        put("s", "LAX");
        assertThat(processor.backlog().rows())
                .as("the row that was put back, and a new one")
                .isEqualTo(2);
        runAll();
        assertThat(seen).hasSize(2);
        assertThat(seen.get(0).rows()).isEqualTo(1);
        assertThat(seen.get(0).oldestAgeMs()).isEqualTo(LINGER_MS);
        assertThat(seen.get(0).bytes()).isGreaterThanOrEqualTo(bytes);
        assertThat(seen.get(1).rows()).isEqualTo(2);
        assertThat(seen.get(1).oldestAgeMs()).isGreaterThan(LINGER_MS);
        assertThat(processor.backlog()).isEqualTo(new Backlog(0, 0, 0));
    }

    @Test
    void retriesWithGrowingBackoffUntilItSucceeds() {
        processor.start();
        put("r", "ORD");
        for (int i = 0; i < 5; i++) {
            failures.add(new IOException("index table not available"));
            failures.add(new IllegalStateException("connection closed"));
        }
        runAll();
        assertThat(threads.delaysMs())
                .containsExactly(LINGER_MS, 50L, 100L, 200L, 400L, 800L, 1_600L, 3_200L, 5_000L, 5_000L, 5_000L);
        assertThat(written).containsExactly("+ORD r@101");
        assertThat(stats.retries.sum()).isEqualTo(10);
        assertAllLetGo();
    }

    @Test
    void resetsTheBackoffAfterASuccess() {
        processor.start();
        put("r", "ORD");
        failures.add(new IOException("first"));
        failures.add(new IOException("second"));
        runAll();
        put("s", "ORD");
        failures.add(new IOException("third"));
        runAll();
        assertThat(threads.delaysMs()).containsExactly(LINGER_MS, 50L, 100L, LINGER_MS, 50L);
    }

    @Test
    void holdsTheFlushAndTheMemoryWhileItFails() {
        processor.start();
        put("r", "ORD");
        long queued = processor.backlog().bytes();
        failures.add(new IOException("index table not available"));
        assertThat(threads.next()).isTrue();
        assertThat(barrier.inside()).isEqualTo(1);
        long updates = processor.backlog().bytes() - queued;
        assertThat(memory.used() - updates)
                .as("memory of the batch, and of the part of one index")
                .isBetween(10L, 500L);
        assertThat(processor.backlogs().get(ASYNC.name()).waiting().rows()).isEqualTo(1);
        runAll();
        assertAllLetGo();
    }

    @Test
    void sendsTheSameUpdatesAgainAfterAFailureThenLaterOnes() {
        processor.start();
        put("r", "A");
        failures.add(new IOException("sent, but not acknowledged"));
        assertThat(threads.next()).isTrue();
        put("r", "B");
        runAll();
        assertThat(written).containsExactly("+A r@101", "-A r@101", "+B r@102");
        assertAllLetGo();
    }

    /** Otherwise nothing would delete the entry that the call has put, since the row has it neither before nor after. */
    @Test
    void aChangeThatWasSentByACallWhoseThreadDiedIsMergedWithNoLaterOne() {
        StalledIndexes stalled = new StalledIndexes(4, threads::nowNanos);
        AtomicBoolean dies = new AtomicBoolean(true);
        ApsThreads apsThreads = new ApsThreads(threads, MoreExecutors.newDirectExecutorService(), stalled, LINGER_MS);
        processor = new UpdateProcessor(new DeliveryParts(
                "region",
                queue,
                spill,
                maintainers,
                updates -> {
                    write(updates);
                    if (dies.getAndSet(false)) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                },
                apsThreads,
                stats,
                threads::nowNanos));
        processor.start();
        put("r", "A");
        assertThat(threads.next()).isTrue();
        stalled.add(ASYNC.indexTable()); // by another region
        assertThat(threads.next()).isTrue();
        put("r", "B");
        runAll();
        assertThat(written).contains("+A r@101", "-A r@101", "+B r@102");
        assertThat(stats.retries.sum()).isPositive();
        assertAllLetGo();
    }

    @Test
    void deliversWhenThreadsCanBeCreatedAgain() {
        AtomicInteger failing = new AtomicInteger(3); // the call, and two of the lane that takes over
        ExecutorService calls = new ForwardingExecutor(task -> {
            if (failing.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            task.run();
        });
        ApsThreads apsThreads = new ApsThreads(threads, calls, new StalledIndexes(4, threads::nowNanos), LINGER_MS);
        processor = new UpdateProcessor(new DeliveryParts(
                "region", queue, spill, maintainers, this::write, apsThreads, stats, threads::nowNanos));
        processor.start();
        put("r", "A");
        runAll();
        put("r", "B");
        runAll();
        assertThat(written).containsExactly("+A r@101", "-A r@101", "+B r@102");
        assertAllLetGo();
    }

    /** Runs tasks as given; cannot be shut down. */
    private static final class ForwardingExecutor extends AbstractExecutorService {
        private final Executor executor;

        ForwardingExecutor(Executor executor) {
            this.executor = executor;
        }

        @Override
        public void execute(Runnable task) {
            executor.execute(task);
        }

        @Override
        public void shutdown() {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<Runnable> shutdownNow() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }

    @Test
    void retriesIfTheBaseCannotBeRead() {
        processor.start();
        put("r", "A");
        put("s", "B");
        unreadable = 1;
        runAll();
        assertThat(written).containsExactly("+A r@101", "+B s@102");
        assertThat(stats.retries.sum()).isEqualTo(1);
        assertAllLetGo();
    }

    @Test
    void deliversReplayedChangesToEveryIndex() {
        record("r", "ORD");
        PendingBatch pending = pending();
        queue.addReplayed(RowChange.of(row("r"), 1, 101, 101), IndexSet.all(), pending, 0);
        pending.release();
        processor.start();
        runAll();
        assertThat(written).containsExactly("+ORD r@101", "+ORD r@101");
        assertAllLetGo();
    }

    /** The calls are made at the same time, and both must have ended before the batch is done. */
    @Test
    void theStalenessOfAnIndexDoesNotIncludeTheCallToAnother() {
        record("r", "ORD");
        PendingBatch pending = pending();
        queue.addReplayed(RowChange.of(row("r"), 1, 101, 101), IndexSet.all(), pending, threads.nowNanos());
        pending.release();
        duringWrites.add(() -> threads.pass(20));
        duringWrites.add(() -> threads.pass(400));
        processor.start();
        runAll();
        assertThat(ofAsync.staleness.sumSeconds()).isEqualTo((LINGER_MS + 20) / 1_000.0);
        assertThat(ofSync.staleness.sumSeconds()).isEqualTo((LINGER_MS + 420) / 1_000.0);
        assertAllLetGo();
    }

    /**
     * All writes below have the same timestamp, as when a delete reveals a value again. While the row has LAX, the
     * replayed change to ORD puts nothing. The changes that restore ORD must therefore put its entry, although together
     * they change nothing.
     */
    @Test
    void changesWithoutNetEffectPutTheEntryThatAReplayedChangeOmitted() {
        record("r", "ORD", 50);
        record("r", "LAX", 50);
        PendingBatch replayed = pending();
        queue.addReplayed(RowChange.of(row("r"), 1, 101, 101), IndexSet.of(ASYNC), replayed, 0);
        replayed.release();
        processor.start();
        runAll();
        change("r", 2);
        record("r", "ORD", 50);
        change("r", 3);
        runAll();
        assertThat(written).containsExactly("+ORD r@103");
        assertAllLetGo();
    }

    @Test
    void deliversInBatchesUntilTheQueueIsEmpty() {
        for (int i = 0; i < 1_200; i++) {
            put("r" + i, "ORD");
        }
        processor.start();
        runAll();
        assertThat(batches).containsExactly(512, 512, 176);
        assertThat(threads.delaysMs()).as("no wait after a whole batch").containsExactly(LINGER_MS, 0L, 0L);
        assertAllLetGo();
    }

    @Test
    void lingersSoThatWritesShareACall() {
        processor.start();
        put("r", "ORD");
        put("s", "ORD");
        assertThat(threads.delaysMs()).containsExactly(LINGER_MS);
        runAll();
        assertThat(batches).containsExactly(2);
        assertAllLetGo();
    }

    @Test
    void changesThatArriveDuringADeliveryWaitForOthersToo() {
        processor.start();
        put("r", "ORD");
        duringWrites.add(() -> {
            threads.pass(20);
            put("s", "LAX");
            threads.pass(LINGER_MS - 5);
        });
        duringWrites.add(() -> {
            put("t", "LAX");
            threads.pass(LINGER_MS + 1);
        });
        runAll();
        assertThat(threads.delaysMs()).containsExactly(LINGER_MS, LINGER_MS, LINGER_MS);
        assertThat(batches).containsExactly(1, 1, 1);
        assertAllLetGo();
    }

    @Test
    void deliversNothingAfterItIsStopped() {
        processor.start();
        put("r", "ORD");
        processor.stop();
        runAll();
        put("s", "ORD");
        assertThat(written).isEmpty();
        assertThat(threads.waiting()).isZero();
        assertThat(queue.size()).isEqualTo(2);
    }

    @Test
    void aServerThatStopsLeavesUndeliveredChangesToTheWal() {
        processor.start();
        threads.shutdown();
        put("r", "ORD");
        assertThat(queue.size()).isEqualTo(1);
        assertThat(barrier.inside()).isEqualTo(1);
    }

    @Test
    void aDeliveryThatFailsWhileItsRegionClosesReleasesEverything() {
        processor.start();
        put("r", "ORD");
        failures.add(new IOException("index table not available"));
        duringTheCall = () -> {
            processor.stop();
            processor.clear();
        };
        runAll();
        assertThat(written).isEmpty();
        assertAllLetGo();
    }

    @Test
    void aFileThatCannotBeReadDelaysOnlyItsOwnChanges() throws IOException {
        record("s", "LAX");
        List<RowChange> onDisk = List.of(RowChange.of(row("s"), 1, 101, 101));
        Files.write(Path.of(files.write(onDisk, IndexSet.of(ASYNC)).toUri()), new byte[] {1, 2, 3});
        files.write(onDisk, IndexSet.of(ASYNC));
        files.write(onDisk, IndexSet.of(ASYNC));
        spill.find(stamp -> {});
        processor.start();
        put("r", "ORD");
        failures.add(new IOException("index table not available"));
        for (int turn = 0; turn < 50 && threads.next(); turn++) {
            assertThat(threads.waiting()).as("scheduled tasks").isLessThan(10);
        }
        assertThat(spill.parkedFiles()).isEqualTo(1);
        assertThat(written).containsOnlyOnce("+ORD r@102").contains("+LAX s@101");
    }

    private Runnable duringTheCall = () -> {};
    private int unreadable;

    private List<Cell> read(byte[] row, long upTo) throws IOException {
        if (unreadable > 0) {
            unreadable--;
            throw new IOException("region not readable");
        }
        var state = base.getOrDefault(Bytes.toString(row), new TreeMap<>()).floorEntry(upTo);
        return state == null ? List.of() : List.of(state.getValue());
    }

    private void write(List<IndexUpdate> updates) throws IOException {
        duringTheCall.run();
        Exception failure = failures.poll();
        if (failure instanceof IOException io) {
            throw io;
        } else if (failure instanceof RuntimeException runtime) {
            throw runtime;
        }
        Optional.ofNullable(duringWrites.poll()).ifPresent(Runnable::run);
        batches.add(updates.size());
        updates.forEach(update -> written.add(text(update)));
    }

    private static String text(IndexUpdate update) {
        Cell cell =
                update.mutation().getFamilyCellMap().values().iterator().next().get(0);
        IndexKeyCodec.Key key =
                new IndexKeyCodec(ASYNC).decode(update.mutation().getRow());
        return (update.isPut() ? "+" : "-") + Bytes.toString(key.values().get(0)) + " " + Bytes.toString(key.row())
                + "@" + cell.getTimestamp();
    }

    private Cell record(String row, String origin) {
        return record(row, origin, 100 + sequence + 1);
    }

    private Cell record(String row, String origin, long timestamp) {
        sequence++;
        Cell cell = cell(row, "origin", origin, timestamp);
        base.computeIfAbsent(row, any -> new TreeMap<>()).put(sequence, cell);
        return cell;
    }

    private void put(String row, String origin) {
        Cell cell = record(row, origin);
        add(RowChange.plainPut(row(row), sequence, 100 + sequence, List.of(cell)));
    }

    /** Adds the change that was recorded under a sequence number, not as a plain put. */
    private void change(String row, long number) {
        add(RowChange.of(row(row), number, 100 + number, 100 + number));
    }

    private void add(RowChange change) {
        PendingBatch pending = pending();
        queue.add(change, pending, threads.nowNanos());
        processor.wake();
        pending.release();
    }

    private PendingBatch pending() {
        memory.reserve(10);
        return new PendingBatch(barrier.register(), memory, 10);
    }

    /** Runs until nothing is scheduled. An endless loop is a failure. */
    private void runAll() {
        for (int i = 0; threads.next(); i++) {
            assertThat(i).isLessThan(1_000);
        }
    }

    private void assertAllLetGo() {
        assertThat(queue.size()).isZero();
        assertThat(barrier.inside()).isZero();
        assertThat(memory.used()).isZero();
        assertThat(TimeUnit.NANOSECONDS.toMinutes(threads.nowNanos())).isLessThan(5);
    }
}
