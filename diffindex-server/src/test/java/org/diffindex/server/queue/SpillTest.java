package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSet;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.spill.SpillContent;
import org.diffindex.server.spill.SpillFiles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what is on disk, and what is held in memory and at the barrier because of it. */
class SpillTest {
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);

    @TempDir
    Path root;

    private final UpdateQueue queue = new UpdateQueue();
    private final AppliedBatches appliedBatches = new AppliedBatches();
    private final FlushBarrier barrier = new FlushBarrier();
    private final QueueMemory memory = new QueueMemory(1_000);
    private SpillFiles files;
    private Spill spill;

    @BeforeEach
    void open() throws IOException {
        Configuration conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, root.toUri().toString());
        files = SpillFiles.of(conf, RegionInfoBuilder.newBuilder(Flights.TABLE).build(), List.of(INDEX));
        spill = Spills.of(files, queue, appliedBatches, barrier, memory);
    }

    @Test
    void coversBatchesInTheMemstoreOnceAndKeepsThemInMemory() throws IOException {
        PendingBatch first = applied("r", 1);
        PendingBatch second = applied("s", 2);
        spill.cover();
        spill.cover();
        assertThat(files.find()).hasSize(1);
        assertThat(files.read(files.find().get(0)).changes()).hasSize(2);
        assertThat(memory.used()).isEqualTo(20);
        first.release();
        assertThat(files.find()).hasSize(1);
        second.release();
        assertThat(files.find()).isEmpty();
        assertThat(memory.used()).isZero();
    }

    @Test
    void coversABatchThatOnlyAnIndexThatIsBehindLacks() throws IOException {
        PendingBatch batch = applied("r", 1);
        PendingBatch part = batch.acquirePart(INDEX.name());
        batch.release();
        spill.cover();
        assertThat(files.find()).hasSize(1);
        part.release();
        assertThat(files.find()).isEmpty();
    }

    @Test
    void doesNotCoverDeliveredOrUnappliedBatches() throws IOException {
        applied("r", 1).release();
        pending();
        spill.cover();
        assertThat(files.find()).isEmpty();
    }

    /** The stamps of the change need not hold for other indexes. */
    @Test
    void aChangeOnDiskIsForTheIndexesThatItWasForInMemory() throws IOException {
        IndexDefinition other = Flights.byOrigin(IndexScheme.SYNC_FULL);
        Configuration conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, root.toUri().toString());
        files = SpillFiles.of(conf, RegionInfoBuilder.newBuilder(Flights.TABLE).build(), List.of(INDEX, other));
        spill = Spills.of(files, queue, appliedBatches, barrier, memory);
        PendingBatch batch = pending();
        batch.applied(List.of(change("r", 1).onlyFor(IndexSet.of(other))), appliedBatches);
        spill.cover();
        SpillContent content = files.read(files.find().get(0));
        assertThat(content.isFor(other)).isTrue();
        assertThat(content.isFor(INDEX)).isFalse();

        spill.find(stamp -> {});
        spill.load(other, queue, 0);
        RowChange loaded = queue.lacking(row("r")).get(0);
        assertThat(loaded.isFor(other)).isTrue();
        assertThat(loaded.isFor(INDEX)).isFalse();
    }

    @Test
    void parksForMemoryOnlyIfItIsFullAndTheChangesAreWorthAFile() throws IOException {
        queued("r", 1);
        assertThat(spill.parkIfFull(memory.worthAFile())).as("not full").isFalse();
        memory.reserve(memory.limit());
        assertThat(spill.parkIfFull(memory.worthAFile() - 1)).as("too little").isFalse();
        assertThat(queue.size()).isOne();
        assertThat(spill.parkIfFull(memory.worthAFile())).isTrue();
        assertThat(queue.size()).isZero();
    }

    /** A write in a session was delayed, on a table without a synchronous index. */
    @Test
    void whatNoIndexLacksTakesNoFile() throws IOException {
        PendingBatch pending = pending();
        queue.addReplayed(change("r", 1), IndexSet.synchronous(), pending, 0);
        pending.release();
        spill.park();
        assertThat(memory.used()).isZero();
        assertThat(barrier.inside()).isZero();
        assertThat(spill.parkedFiles()).as("files that wait for an index").isZero();
        assertThat(files.find()).as("files on disk").isEmpty();
    }

    /** Otherwise each file of an outage would be smaller than the one before. */
    @Test
    void whatIsQueuedWhileAFileIsWrittenWaitsForTheNextOne() throws IOException {
        Configuration conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, root.toUri().toString());
        files = SpillFiles.of(
                conf, RegionInfoBuilder.newBuilder(Flights.TABLE).build(), List.of(INDEX), () -> queued("s", 2));
        spill = Spills.of(files, queue, appliedBatches, barrier, memory);
        queued("r", 1);
        spill.park();
        assertThat(files.find()).hasSize(1);
        assertThat(queue.size()).isOne();
    }

    @Test
    void aParkedBatchHoldsNoMemoryButADrainWaitsForIt() throws Exception {
        queued("r", 1);
        spill.park();
        assertThat(queue.size()).isZero();
        assertThat(memory.used()).isZero();
        assertThat(spill.parkedFiles()).isEqualTo(1);
        assertThat(barrier.inside()).isEqualTo(1);
        assertThat(barrier.awaitAllInside(0, TimeUnit.SECONDS)).isEqualTo(1);
    }

    /** A later change is parked in the same file. */
    @Test
    void aDrainThatBeganBeforeTheParkingWaitsForIt() throws Exception {
        queued("r", 1);
        FutureTask<Long> drain = beginDrain();
        queued("s", 2);
        spill.park();
        assertThat(files.find()).hasSize(1);
        assertThat(drain.get(1, TimeUnit.MINUTES))
                .as("left when the time is up")
                .isEqualTo(1);
        deliverAll();
        assertThat(barrier.awaitAllInside(0, TimeUnit.SECONDS)).isZero();
    }

    @Test
    void aDrainThatBeganBeforeAFileIsUnloadedWaitsForIt() throws Exception {
        queued("r", 1);
        spill.park();
        spill.load(INDEX, queue, 0);
        FutureTask<Long> drain = beginDrain();
        spill.unload(INDEX, queue);
        assertThat(drain.get(1, TimeUnit.MINUTES))
                .as("left when the time is up")
                .isEqualTo(1);
        deliverAll();
        assertThat(barrier.awaitAllInside(0, TimeUnit.SECONDS)).isZero();
    }

    /** Begins a drain of all that is there, which waits for at most two seconds; it returns how much is left then. */
    private FutureTask<Long> beginDrain() {
        FutureTask<Long> drain = new FutureTask<>(() -> barrier.awaitAllInside(2, TimeUnit.SECONDS));
        Thread thread = new Thread(drain, "drain");
        thread.start();
        Waiting.until("the drain waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
        return drain;
    }

    @Test
    void keepsALoadedFileUntilItsChangesAreDelivered() throws IOException {
        queued("r", 1);
        queued("r", 2);
        spill.park();
        spill.load(INDEX, queue, 0);
        assertThat(spill.parkedFiles()).isZero();
        assertThat(memory.used()).isPositive();
        assertThat(queue.take(10)).singleElement().satisfies(item -> {
            assertThat(item.change().firstSequence()).isEqualTo(1);
            assertThat(item.change().lastSequence()).isEqualTo(2);
            assertThat(item.indexes().contains(INDEX)).isTrue();
            assertThat(item.indexes().contains(INDEX.withId("another"))).isFalse();
            assertThat(files.find()).hasSize(1);
            item.done();
        });
        assertThat(files.find()).isEmpty();
        assertThat(memory.used()).isZero();
        assertThat(barrier.inside()).isZero();
    }

    @Test
    void doesNotParkLoadedChangesAgain() throws IOException {
        queued("r", 1);
        spill.park();
        spill.load(INDEX, queue, 0);
        queued("s", 2);
        spill.park();
        assertThat(queue.take(10))
                .extracting(item -> Bytes.toString(item.change().row()))
                .containsExactly("r");
        assertThat(files.find()).hasSize(2);
    }

    /** Memory runs short just after a write has seen that nothing is parked. */
    @Test
    void queriesAgainIfAFileWasParkedDuringTheQuery() throws IOException {
        IndexDefinition synchronous = Flights.byOrigin(IndexScheme.SYNC_FULL);
        Configuration conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, root.toUri().toString());
        files = SpillFiles.of(conf, RegionInfoBuilder.newBuilder(Flights.TABLE).build(), List.of(synchronous));
        spill = Spills.of(files, queue, appliedBatches, barrier, memory);
        PendingBatch pending = pending();
        queue.addReplayed(change("r", 1), IndexSet.all(), pending, 0);
        pending.release();
        List<Integer> found = new ArrayList<>();

        List<RowChange> lacking = spill.whileLackingIsLoaded(IndexSet.synchronous(), 60_000, () -> {
            if (found.isEmpty()) {
                parkAll();
            }
            List<RowChange> now = queue.lacking(row("r"));
            if (found.isEmpty()) {
                loadFor(synchronous);
            }
            found.add(now.size());
            return now;
        });

        assertThat(found).containsExactly(0, 1);
        assertThat(lacking).hasSize(1);
    }

    private void parkAll() {
        try {
            spill.park();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void loadFor(IndexDefinition index) {
        try {
            spill.load(index, queue, 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aCoveredBatchThatIsParkedIsOnDiskOnce() throws IOException {
        PendingBatch batch = applied("r", 1);
        queue.add(batch.changes().get(0), batch, 0);
        batch.release();
        spill.cover();
        spill.park();
        assertThat(files.find()).hasSize(1);
        deliverAll();
        assertThat(files.find()).isEmpty();
    }

    @Test
    void theNextServerFindsAllFilesAndTheOldOneRemovesNone() throws IOException {
        PendingBatch covered = applied("r", 1);
        spill.cover();
        queued("s", 2);
        spill.park();
        spill.close();
        covered.release();
        assertThat(barrier.inside()).isZero();
        assertThat(memory.used()).isZero();

        spill = Spills.of(files, queue, appliedBatches, barrier, memory);
        spill.find(stamp -> {});
        assertThat(spill.parkedFiles()).isEqualTo(2);
        assertThat(barrier.inside()).isEqualTo(2);
        deliverAll();
        assertThat(barrier.inside()).isZero();
        assertThat(files.find()).isEmpty();
    }

    /** The next holder of the region may have listed the files already. */
    @Test
    void nothingIsParkedOnceTheRegionIsClosed() throws IOException {
        queued("r", 1);
        spill.park();
        spill.load(INDEX, queue, 0);
        queued("s", 2);
        spill.close();
        spill.park();
        spill.unload(INDEX, queue);
        assertThat(files.find())
                .as("files, of which one was there before the close")
                .hasSize(1);
        assertThat(spill.parkedFiles()).isZero();
        assertThat(barrier.inside()).isZero();
        assertThat(memory.used()).isZero();
    }

    @Test
    void keepsInMemoryWhatCannotBeWritten() throws IOException {
        queued("r", 1);
        Files.writeString(root.resolve("diffindex"), "in the way");
        assertThatThrownBy(spill::park).isInstanceOf(IOException.class);
        assertThat(queue.size()).isEqualTo(1);
        assertThat(memory.used()).isEqualTo(10);
        PendingBatch flushed = applied("s", 2);
        assertThatThrownBy(spill::cover).isInstanceOf(IOException.class);
        assertThat(flushed.isCovered()).isFalse();
        Files.delete(root.resolve("diffindex"));
        spill.cover();
        assertThat(flushed.isCovered()).isTrue();
    }

    @Test
    void aFileThatCannotBeReadRemainsParked() throws IOException {
        queued("r", 1);
        spill.park();
        Path file = Path.of(files.find().get(0).toUri());
        byte[] bytes = Files.readAllBytes(file);
        Path checksum = file.resolveSibling("." + file.getFileName() + ".crc");
        Files.delete(checksum);
        Files.write(file, new byte[7]);
        assertThatThrownBy(() -> spill.load(INDEX, queue, 0)).isInstanceOf(IOException.class);
        assertThat(spill.parkedFiles()).isEqualTo(1);
        assertThat(barrier.inside()).isEqualTo(1);
        Files.write(file, bytes);
        deliverAll();
        assertThat(barrier.inside()).isZero();
    }

    /** The write that a drain waits for longest need not be the one that was applied first. */
    @Test
    void keepsThePastOfAllRowsInAFileUntilTheyAreDelivered() throws Exception {
        PendingBatch slow = pending();
        assertThat(barrier.awaitAllInside(0, TimeUnit.SECONDS)).isEqualTo(1);
        PendingBatch fast = applied("r", 5);
        slow.applied(List.of(change("s", 9)), appliedBatches);
        assertThat(barrier.pastNeededFrom())
                .as("past needed by batches in the memstore")
                .isEqualTo(4);
        for (PendingBatch batch : List.of(fast, slow)) {
            queue.add(batch.changes().get(0), batch, 0);
            batch.release();
        }
        spill.park();
        assertThat(barrier.pastNeededFrom())
                .as("past needed by batches on disk")
                .isEqualTo(4);
        deliverAll();
        assertThat(barrier.pastNeededFrom()).isEqualTo(Long.MAX_VALUE);
    }

    /** The content of the file is unknown, so it may need any part of the past. */
    @Test
    void keepsThePastOfAllRowsWhileAFileCannotBeRead() throws IOException {
        queued("r", 5);
        spill.park();
        spill.close();
        Path file = Path.of(files.find().get(0).toUri());
        Files.delete(file.resolveSibling("." + file.getFileName() + ".crc"));
        Files.write(file, new byte[7]);
        spill = Spills.of(files, queue, appliedBatches, barrier, memory);
        spill.find(stamp -> {});
        assertThat(barrier.pastNeededFrom()).isZero();
    }

    @Test
    void anUnloadedFileIsOnDiskUntilItsChangesAreDelivered() throws IOException {
        queued("r", 1);
        spill.park();
        spill.load(INDEX, queue, 0);
        spill.unload(INDEX, queue);
        assertThat(queue.size()).isZero();
        assertThat(memory.used()).isZero();
        assertThat(spill.parkedFiles()).isEqualTo(1);
        assertThat(files.find()).hasSize(1);
        deliverAll();
        assertThat(files.find()).isEmpty();
        assertThat(barrier.inside()).isZero();
    }

    private void deliverAll() throws IOException {
        while (spill.parkedFiles() > 0) {
            spill.load(INDEX, queue, 0);
        }
        queue.take(100).forEach(QueuedChange::done);
    }

    private void queued(String row, long sequence) {
        PendingBatch pending = pending();
        queue.add(change(row, sequence), pending, 0);
        pending.release();
    }

    private PendingBatch applied(String row, long sequence) {
        PendingBatch pending = pending();
        pending.applied(List.of(change(row, sequence)), appliedBatches);
        return pending;
    }

    private PendingBatch pending() {
        memory.reserve(10);
        return new PendingBatch(barrier.register(), memory, 10);
    }

    private static RowChange change(String row, long sequence) {
        return RowChange.of(row(row), sequence, 100 + sequence, 100 + sequence);
    }
}
