package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.cell;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.MoreExecutors;
import org.assertj.core.data.Percentage;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDelta;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSet;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.ObjectGraph;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.spill.SpillFiles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that the memory counted for queued changes contains the updates that are kept for a retry, exactly once. */
class KeptUpdatesTest {
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
    private static final long BATCH_BYTES = PendingBatch.bytesOf(LongStream.empty());
    private static final String WIDE = "x".repeat(10_000);

    private final TurnByTurn threads = new TurnByTurn();
    private final FlushBarrier barrier = new FlushBarrier();
    private final QueueMemory memory = new QueueMemory(Long.MAX_VALUE);
    private final UpdateQueue queue = new UpdateQueue();
    private final AppliedBatches appliedBatches = new AppliedBatches();
    private final RegionMaintainers maintainers = new RegionMaintainers(List.of(INDEX), this::read);

    /** The only write of each row. */
    private final Map<String, RowChange> writes = new HashMap<>();

    private Spill spill;
    private UpdateProcessor processor;
    private boolean isAway = true;
    private int delivered;
    private long sequence;

    @BeforeEach
    void make(@TempDir Path folder) throws IOException {
        Configuration conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, folder.toUri().toString());
        SpillFiles files =
                SpillFiles.of(conf, RegionInfoBuilder.newBuilder(Flights.TABLE).build(), List.of(INDEX));
        spill = Spills.of(files, queue, appliedBatches, barrier, memory);
        ApsThreads apsThreads = new ApsThreads(
                threads, MoreExecutors.newDirectExecutorService(), new StalledIndexes(4, threads::nowNanos), 0);
        processor = new UpdateProcessor(new DeliveryParts(
                "region", queue, spill, maintainers, this::write, apsThreads, new DeliveryStats(), threads::nowNanos));
        processor.start();
    }

    private List<Cell> read(byte[] row, long upTo) {
        RowChange write = writes.get(Bytes.toString(row));
        return write.lastSequence() <= upTo ? write.plainCells() : List.of();
    }

    private void write(List<IndexUpdate> updates) throws IOException {
        if (isAway) {
            throw new IOException("index table not available");
        }
        delivered += updates.size();
    }

    @Test
    void areCountedOnceHoweverOftenTheyFail() {
        put("r", WIDE);
        put("s", WIDE);
        moveToTheLane();
        assertThat(memory.used()).as("twice the value, in each of two entries").isGreaterThan(60_000);
        for (int attempt = 0; attempt < 5; attempt++) {
            assertThatAllAreCounted();
            assertThat(threads.next()).isTrue();
        }
        deliverAll(2);
    }

    @Test
    void areCountedIfTheLaneComputesThem() {
        put("r", WIDE);
        moveToTheLane();
        put("s", WIDE);
        moveToTheLane();
        long withoutUpdatesOfTheSecond = memory.used();
        assertThatAllAreCounted();
        assertThat(threads.next()).isTrue();
        assertThat(memory.used()).isGreaterThan(withoutUpdatesOfTheSecond + 20_000);
        assertThatAllAreCounted();
        deliverAll(2);
    }

    @Test
    void areNoLongerCountedWhenTheirChangesAreParked() {
        put("r", WIDE);
        moveToTheLane();
        processor.relieve(memory.used() + 1);
        assertThat(spill.parkedFiles()).as("files of a queue that holds less").isZero();
        processor.relieve(memory.used());
        assertThat(spill.parkedFiles()).isOne();
        assertThat(memory.used()).isZero();
        deliverAll(1);
    }

    @Test
    void areNoLongerCountedWhenTheirFileIsUnloaded() {
        put("r", WIDE);
        moveToTheLane();
        processor.relieve(1);
        while (memory.used() == 0) {
            assertThat(threads.next()).isTrue();
        }
        assertThat(memory.used()).isEqualTo(processor.backlog().bytes() + BATCH_BYTES);
        assertThat(memory.used()).as("twice the value, in an entry").isGreaterThan(20_000);
        assertThat(processor.parkableBytes()).as("what is on disk already").isEmpty();
        processor.unload();
        assertThat(memory.used()).isZero();
        deliverAll(1);
    }

    @Test
    void areNoLongerCountedWhenTheRegionCloses() {
        put("r", WIDE);
        moveToTheLane();
        processor.clear();
        assertThat(memory.used()).isZero();
        assertThat(barrier.inside()).isZero();
    }

    @Test
    void areCountedForAnItemThatIsStillInALateCall() {
        put("r", WIDE);
        QueuedChange whole = queue.take(1).get(0);
        QueuedChange late = whole.forIndex(INDEX, IndexSet.of(INDEX), updates(whole.change()));
        whole.done();
        assertThat(late.updateBytes()).isGreaterThan(20_000);
        assertThat(memory.used()).isEqualTo(late.heapSize() + 2 * BATCH_BYTES);
        late.done();
        assertThat(memory.used()).isZero();
    }

    /** A whole batch stays in memory until the last of its changes leaves the lane. */
    @Test
    void aQueueCanParkAllThatItsBatchesHold() {
        List<RowChange> changes = List.of(change("r", "ORD"), change("s", "LAX"), change("t", WIDE));
        PendingBatch batch = pending(changes);
        UpdateQueue ofLane = queue.another();
        queue.add(changes.get(0), batch, 0);
        batch.release();
        queue.take(1).forEach(item -> {
            ofLane.add(item.forIndex(INDEX, IndexSet.of(INDEX), null));
            item.done();
        });
        assertThat(ofLane.reservedBytes()).isEqualTo(memory.used()).isGreaterThan(10_000);
        ofLane.clear();
        assertThat(memory.used()).isZero();
    }

    @ParameterizedTest(name = "values of {0} bytes, of old entries: {1}")
    @CsvSource({"10, false", "10, true", "1000, false", "1000, true"})
    void takeTheHeapThatIsCounted(int length, boolean hasOld) {
        String value = "x".repeat(length);
        IntStream.range(0, 1_000).forEach(i -> put("row-%08d".formatted(i), value));
        long before = memory.used();
        List<QueuedChange> ready = queue.take(1_000).stream()
                .map(item -> item.ready(hasOld ? replacements(item.change(), value) : updates(item.change())))
                .toList();
        long counted = memory.used() - before;
        long taken =
                new ObjectGraph().add(ready.stream().map(QueuedChange::updates).toList());
        assertThat(taken).isCloseTo(counted, Percentage.withPercentage(5));
    }

    private List<IndexUpdate> updates(RowChange change) {
        try {
            return maintainers.updates(change, maintainers.imagesOf(change), IndexSet.of(INDEX));
        } catch (IOException e) {
            throw new AssertionError("No row is read", e);
        }
    }

    private static List<IndexUpdate> replacements(RowChange change, String value) {
        String row = Bytes.toString(change.row());
        IndexDelta delta = new IndexDelta(Optional.of(entry(value + row)), Optional.of(entry("old" + value + row)));
        return IndexUpdate.of(INDEX, delta, 200, 200);
    }

    private static IndexEntry entry(String key) {
        return new IndexEntry(Bytes.toBytes(key), 200);
    }

    /** Runs until the AUQ is empty. */
    private void moveToTheLane() {
        while (queue.size() > 0) {
            assertThat(threads.next()).isTrue();
        }
        assertThat(processor.backlogs()).containsKey(INDEX.name());
    }

    /**
     * Asserts that the memory in use is that of the items in the lane, each of which has a batch of its own and a part
     * of it.
     */
    private void assertThatAllAreCounted() {
        Backlog waiting = processor.backlog();
        assertThat(memory.used()).isEqualTo(waiting.bytes() + 2 * BATCH_BYTES * waiting.rows());
        assertThat(processor.parkableBytes().sum()).isEqualTo(memory.used());
    }

    private void deliverAll(int updates) {
        isAway = false;
        while (barrier.inside() > 0) {
            assertThat(threads.next()).isTrue();
        }
        assertThat(delivered).isEqualTo(updates);
        assertThat(memory.used()).isZero();
    }

    private void put(String row, String value) {
        RowChange change = change(row, value);
        PendingBatch batch = pending(List.of(change));
        queue.add(change, batch, threads.nowNanos());
        processor.wake();
        batch.release();
    }

    private PendingBatch pending(List<RowChange> changes) {
        long bytes = PendingBatch.bytesOf(changes.stream().mapToLong(RowChange::heapSize));
        memory.reserve(bytes);
        PendingBatch batch = new PendingBatch(barrier.register(), memory, bytes);
        batch.applied(changes, appliedBatches);
        return batch;
    }

    private RowChange change(String row, String value) {
        sequence++;
        long stamp = 100 + sequence;
        RowChange change = RowChange.plainPut(row(row), sequence, stamp, List.of(cell(row, "origin", value, stamp)));
        writes.put(row, change);
        return change;
    }
}
