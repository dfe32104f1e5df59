package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;
import static org.diffindex.server.local.Flights.rowKey;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKeyImpl;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.model.SessionChange;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.local.FilledTime;
import org.diffindex.server.local.Flights;
import org.diffindex.server.maintain.PresentRows;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.maintain.RowMemory;
import org.diffindex.server.metrics.SlowOperations;
import org.diffindex.server.queue.AppliedBatches;
import org.diffindex.server.queue.ApsThreads;
import org.diffindex.server.queue.DeliveryParts;
import org.diffindex.server.queue.DeliveryStats;
import org.diffindex.server.queue.FlushBarrier;
import org.diffindex.server.queue.PendingBatch;
import org.diffindex.server.queue.QueueMemory;
import org.diffindex.server.queue.Spill;
import org.diffindex.server.queue.Spills;
import org.diffindex.server.queue.StalledIndexes;
import org.diffindex.server.queue.UpdateProcessor;
import org.diffindex.server.queue.UpdateQueue;
import org.diffindex.server.spill.SpillFiles;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what is delivered, queued and answered when a visible batch is acknowledged. The APS of the region does not
 * run.
 */
class AcknowledgementTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long SEQUENCE = 7;
    private static final byte[] ORIGIN = Bytes.toBytes("origin");

    private final IndexDefinition synchronous = Flights.byOrigin(IndexScheme.SYNC_FULL);
    private final IndexDefinition session = Flights.byOrigin(IndexScheme.ASYNC_SESSION);
    private final FlushBarrier barrier = new FlushBarrier();
    private final QueueMemory memory = new QueueMemory(1_000);
    private final RowMemory rowMemory = new RowMemory(new RowMemory.Shared(10_000), new LongAdder());
    private final UpdateQueue queue = new UpdateQueue();
    private final AppliedBatches appliedBatches = new AppliedBatches();
    private final HeldRows heldRows = new HeldRows();
    private final RegionMaintainers maintainers =
            new RegionMaintainers(List.of(synchronous, session), (row, sequence) -> List.of());
    private final RowLocks locks = new RowLocks() {
        @Override
        public Set<ImmutableBytesWritable> heldAmong(Set<ImmutableBytesWritable> rows) {
            Set<ImmutableBytesWritable> held = super.heldAmong(rows);
            try {
                afterLook.run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return held;
        }
    };
    private final RowOrder order = new RowOrder(
            locks,
            new RowClock(() -> Instant.ofEpochMilli(NOW)),
            new UncertainWrites(),
            (row, families, clock, stamp) -> stamp,
            Duration.ofSeconds(10));

    /** The updates that the index tables received. */
    private final List<IndexUpdate> written = new ArrayList<>();

    /** Something that happens when a reader has looked at the locks of its rows. */
    @FunctionalInterface
    private interface Event {
        void run() throws IOException;
    }

    private Event afterLook = () -> {};
    private boolean isAway;
    private boolean lacksClass;
    private boolean lacksClassOnce;
    private boolean isAtomic;
    private boolean isReadable = true;
    private Acknowledgement acknowledgement;

    @BeforeEach
    void wire(@TempDir Path folder) throws IOException {
        Configuration conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, folder.toUri().toString());
        SpillFiles files =
                SpillFiles.of(conf, RegionInfoBuilder.newBuilder(Flights.TABLE).build(), List.of(synchronous, session));
        Spill spill = Spills.of(files, queue, appliedBatches, barrier, memory);
        ApsThreads none = new ApsThreads(null, null, new StalledIndexes(1, () -> 0), 0);
        UpdateProcessor processor = new UpdateProcessor(new DeliveryParts(
                "region", queue, spill, maintainers, this::write, none, new DeliveryStats(), () -> 0));
        acknowledgement = new Acknowledgement(
                Flights.TABLE,
                maintainers,
                index -> {
                    failIfClassIsMissing();
                    return isReadable;
                },
                new AsynchronousUpdates(maintainers, queue, processor, this::nanoTime),
                new SynchronousUpdates(
                        maintainers,
                        rowMemory,
                        queue,
                        spill,
                        new Settings(conf),
                        new WaitingHandlers(10, () -> 0),
                        this::write,
                        replaced -> {},
                        new SlowOperations(0, () -> 0)),
                heldRows,
                new Platform() {
                    @Override
                    boolean isAtomic(MiniBatchOperationInProgress<Mutation> batch) {
                        return isAtomic;
                    }
                });
    }

    private void write(List<IndexUpdate> updates) throws IOException {
        requireFreeRow();
        if (isAway) {
            throw new IOException("The index table is away");
        }
        failIfClassIsMissing();
        written.addAll(updates);
    }

    private void failIfClassIsMissing() {
        if (lacksClass) {
            throw new NoClassDefFoundError("org/apache/hadoop/hbase/client/Missing");
        }
    }

    private long nanoTime() {
        if (lacksClassOnce) {
            lacksClassOnce = false;
            throw new NoClassDefFoundError("org/apache/hadoop/hbase/client/Missing");
        }
        return 0;
    }

    /** Fails if this thread holds the row's lock, because other writes of the row would then wait for the index too. */
    private void requireFreeRow() {
        CompletableFuture.runAsync(() -> order.lock(rowKey("r")).release())
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }

    @AfterEach
    void onlyTheQueueHoldsAnything() {
        requireFreeRow();
        queue.clear();
        assertThat(barrier.inside()).isZero();
        assertThat(memory.used()).isZero();
    }

    private static Put put() {
        return new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD"));
    }

    private static Put ofSession() {
        Put put = put();
        put.setAttribute(SessionChange.ATTRIBUTE, new byte[0]);
        return put;
    }

    /** Returns a batch that is locked, stamped and logged. */
    private MiniBatch logged(Mutation... mutations) throws IOException {
        for (Mutation mutation : mutations) {
            ServerTime.mark(mutation);
            FilledTime.fill(mutation, NOW);
        }
        long bytes = 100;
        memory.reserve(bytes);
        MiniBatch batch = new MiniBatch(
                List.of(mutations), List.of(), any -> false, new PendingBatch(barrier.register(), memory, bytes));
        order.lockAndStamp(batch, (writes, why) -> {
            throw why;
        });
        batch.logged(
                new WALKeyImpl(row("region"), Flights.TABLE, SEQUENCE, 0, HConstants.DEFAULT_CLUSTER_ID),
                new WALEdit(),
                maintainers);
        return batch;
    }

    private MiniBatch applied(Mutation... mutations) throws IOException {
        MiniBatch batch = logged(mutations);
        batch.pending().applied(batch.changes(maintainers), appliedBatches);
        return batch;
    }

    private static MiniBatchOperationInProgress<Mutation> successful(Mutation... mutations) {
        OperationStatus[] statuses = new OperationStatus[mutations.length];
        Arrays.fill(statuses, OperationStatus.SUCCESS);
        return new MiniBatchOperationInProgress<>(
                mutations, statuses, new WALEdit[mutations.length], 0, mutations.length, mutations.length);
    }

    private static OperationStatusCode onlyCode(MiniBatchOperationInProgress<Mutation> operations) {
        return operations.getOperationStatus(0).getOperationStatusCode();
    }

    @Test
    void updatesTheSynchronousIndexAndQueuesTheChangeForTheOther() throws IOException {
        Put put = put();
        MiniBatchOperationInProgress<Mutation> operations = successful(put);
        acknowledgement.complete(operations, applied(put));
        assertThat(written).singleElement().satisfies(update -> assertThat(update.table())
                .isEqualTo(synchronous.indexTable()));
        assertThat(queue.size()).isEqualTo(1);
        assertThat(queue.lacking(row("r"))).isEmpty();
        assertThat(onlyCode(operations)).isEqualTo(OperationStatusCode.SUCCESS);
        assertThat(barrier.inside()).as("batches that the AUQ holds").isEqualTo(1);
    }

    @Test
    void queuesAFailedSynchronousUpdateAndReportsItInTheStatus() throws IOException {
        isAway = true;
        Put put = put();
        MiniBatchOperationInProgress<Mutation> operations = successful(put);
        acknowledgement.complete(operations, applied(put));
        assertThat(queue.lacking(row("r"))).hasSize(1);
        assertThat(queue.size()).isEqualTo(2);
        assertThat(onlyCode(operations)).isEqualTo(OperationStatusCode.FAILURE);
        assertThat(operations.getOperationStatus(0).getExceptionMsg())
                .contains(IndexUpdateDelayedException.DESCRIPTION)
                .contains("table=" + Flights.TABLE)
                .contains("row=r");
    }

    /** The hook turns it into an exception for the client, and the server goes on. */
    @Test
    void queuesASynchronousUpdateThatEndedInALinkageError() throws IOException {
        lacksClass = true;
        Put put = put();
        MiniBatch batch = applied(put);
        assertThatThrownBy(() -> acknowledgement.complete(successful(put), batch))
                .isInstanceOf(NoClassDefFoundError.class);
        assertThat(queue.lacking(row("r"))).hasSize(1);
    }

    @Test
    void queuesASynchronousUpdateIfTheAnswerToTheSessionEndedInALinkageError() throws IOException {
        lacksClass = true;
        Put put = ofSession();
        MiniBatch batch = applied(put);
        assertThatThrownBy(() -> acknowledgement.complete(successful(put), batch))
                .isInstanceOf(NoClassDefFoundError.class);
        assertThat(queue.lacking(row("r"))).hasSize(1);
    }

    @Test
    void queuesForAllIndexesABatchWhoseHandOverEndedInALinkageError() throws IOException {
        lacksClassOnce = true;
        Put put = put();
        MiniBatch batch = applied(put);
        assertThatThrownBy(() -> acknowledgement.complete(successful(put), batch))
                .isInstanceOf(NoClassDefFoundError.class);
        assertThat(queue.size()).isEqualTo(1);
        assertThat(queue.lacking(row("r"))).hasSize(1);
    }

    @Test
    void throwsTheDelayOfAnAtomicBatch() throws IOException {
        isAway = true;
        isAtomic = true;
        Put put = put();
        MiniBatch batch = applied(put);
        assertThatThrownBy(() -> acknowledgement.complete(successful(put), batch))
                .isInstanceOf(IndexUpdateDelayedException.class);
        assertThat(queue.lacking(row("r"))).hasSize(1);
    }

    @Test
    void doesNotWaitForTheIndexWhileHBaseHoldsTheRow() throws IOException {
        Put put = put();
        heldRows.operationBegins();
        heldRows.heldFor(put);
        acknowledgement.complete(successful(put), applied(put));
        assertThat(written).isEmpty();
        assertThat(queue.size()).as("changes for the asynchronous index").isEqualTo(1);
        requireFreeRow();
        heldRows.operationEnds();
        assertThat(written).hasSize(1);
    }

    @Test
    void queuesADeferredUpdateWhoseHookIsNeverCalled() throws IOException {
        Put put = put();
        heldRows.operationBegins();
        heldRows.heldFor(put);
        acknowledgement.complete(successful(put), applied(put));
        heldRows.operationBegins();
        assertThat(written).isEmpty();
        assertThat(queue.lacking(row("r"))).hasSize(1);
        heldRows.operationEnds();
        assertThat(written).isEmpty();
    }

    @Test
    void returnsToASessionTheChangesOfReadableIndexes() throws IOException {
        Put put = ofSession();
        MiniBatchOperationInProgress<Mutation> operations = successful(put);
        acknowledgement.complete(operations, applied(put));
        assertThat(SessionChange.of(operations.getOperationStatus(0).getResult()))
                .extracting(SessionChange::index)
                .containsExactly(session.name());

        isReadable = false;
        Put unread = ofSession();
        operations = successful(unread);
        acknowledgement.complete(operations, applied(unread));
        assertThat(SessionChange.of(operations.getOperationStatus(0).getResult()))
                .isEmpty();
    }

    /** Between the two, other coprocessors do something in their hooks. */
    @Test
    void completesABatchThatWasHandedOverBefore() throws IOException {
        Put put = ofSession();
        MiniBatch batch = applied(put);
        acknowledgement.handOver(batch);
        requireFreeRow();
        assertThat(queue.size()).isEqualTo(1);
        assertThat(written).isEmpty();

        MiniBatchOperationInProgress<Mutation> operations = successful(put);
        acknowledgement.complete(operations, batch);
        assertThat(queue.size()).as("handed over once").isEqualTo(1);
        assertThat(written).hasSize(1);
        assertThat(SessionChange.of(operations.getOperationStatus(0).getResult()))
                .hasSize(1);
    }

    /** As after a failure of another coprocessor's hook. */
    @Test
    void queuesForTheSynchronousIndexABatchThatWasHandedOverAndNeverCompleted() throws IOException {
        MiniBatch batch = applied(put());
        acknowledgement.handOver(batch);
        acknowledgement.abandon(batch);
        assertThat(queue.lacking(row("r"))).hasSize(1);
        assertThat(queue.size()).isEqualTo(2);
    }

    @Test
    void queuesTheUpdatesOfAFailedBatchForAllIndexes() throws IOException {
        acknowledgement.abandon(applied(put()));
        assertThat(queue.size()).isEqualTo(1);
        assertThat(queue.lacking(row("r"))).hasSize(1);
    }

    @Test
    void forgetsTheRowsOfAFailedBatch() throws IOException {
        rowMemory.remember(row("r"), List.of());
        acknowledgement.abandon(applied(put()));
        assertThat(rowMemory.take(row("r"), Long.MAX_VALUE)).isEmpty();
    }

    /** A reader that has looked at the locks before the write began may read the row until both writes are visible. */
    @Test
    void forgetsTheRowsOfABatchThatFailedWithinAnotherWhenBothAreVisible() throws IOException {
        MiniBatch outer = logged(new Put(row("outer")).addColumn(F, ORIGIN, Bytes.toBytes("ORD")));
        List<MiniBatch> failed = new ArrayList<>();
        afterLook = () -> {
            failed.add(applied(put()));
            acknowledgement.leaveLocksTo(outer, failed.get(0), () -> {});
            acknowledgement.abandon(failed.get(0));
        };
        PresentRows rows = new PresentRows(
                locks,
                rowMemory,
                (asked, goesOn) -> new PresentRows.Snapshot(SEQUENCE - 1, Map.of(row("r"), List.of())),
                Long.MAX_VALUE,
                () -> 0);
        assertThat(rows.of(List.of(rowKey("r")))).as("rows that were read").hasSize(1);
        acknowledgement.release(outer);
        assertThat(rowMemory.take(row("r"), SEQUENCE))
                .as("what the next write takes for the row before it")
                .isEmpty();
    }

    @Test
    void queuesNothingOfAFailedBatchWithoutChanges() throws IOException {
        acknowledgement.abandon(logged(put()));
        assertThat(queue.size()).isZero();
    }

    @Test
    void aRefusedBatchReleasesEverything() throws IOException {
        acknowledgement.release(logged(put()));
        assertThat(barrier.inside()).isZero();
        assertThat(memory.used()).isZero();
        assertThat(order.certainUpTo(rowKey("r"), NOW)).isEqualTo(NOW);
    }
}
