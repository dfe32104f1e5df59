package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.SessionChange;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.maintain.RowImages;
import org.diffindex.server.queue.InFlight;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a batch of writes of one region past its indexes, in three steps.
 *
 * <p>Before the WAL ({@link #beforeBatch}) the batch is checked, enters the flush barrier, takes the locks of its rows and
 * is given its stamps. In the memstore ({@link #applied}) its sequence number is known, by which the rows before and
 * after it can be read ever after. When it is visible ({@link #completed}) its rows go into the AUQ for the asynchronous
 * indexes, the locks are released, and the updates of the synchronous indexes are written before the client hears of it.
 *
 * <p>Safe for use by many threads; the steps of one batch run on one thread.
 */
final class WritePath {
    private static final Logger LOG = LoggerFactory.getLogger(WritePath.class);

    private final RegionIndexes indexes;
    private final WriteCheck check;
    private final SyncedWal syncedWal;
    private final SynchronousUpdates updates;
    private final HeldRows heldRows = new HeldRows();
    private final UncertainWrites uncertain;
    private final OwnBatches own = new OwnBatches();

    WritePath(RegionIndexes indexes) {
        this.indexes = indexes;
        this.check =
                new WriteCheck(indexes.maintainers().all(), indexes.region().getTableDescriptor());
        this.syncedWal = new SyncedWal(indexes.region().getTableDescriptor());
        this.updates = new SynchronousUpdates(indexes);
        this.uncertain = indexes.server().platform().uncertainWrites();
    }

    /** A part of what a batch has to do. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    /** The writes for which HBase holds rows beyond their batch. */
    HeldRows heldRows() {
        return heldRows;
    }

    /** Before HBase fills in the timestamps and takes the durability of the batch. */
    void prepare(Mutation mutation) {
        if (concernedBy(mutation)) {
            ServerTime.mark(mutation);
            syncedWal.require(mutation);
        }
    }

    /** The writes of which it is not known whether a replay will bring them back. */
    UncertainWrites uncertain() {
        return uncertain;
    }

    /** Whether any index is concerned by a mutation. */
    private boolean concernedBy(Mutation mutation) {
        for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
            for (Cell cell : cells) {
                if (indexes.maintainers().concernedBy(cell)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether the entries of an index that a cell concerns expire by their stamps. */
    boolean expires(Cell cell) {
        return check.concernsWhatExpires(cell);
    }

    /** Before the WAL. What it throws refuses the batch; nothing is written then. */
    void beforeBatch(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
        leaveBehindUnfinished();
        BatchOutcome outcome = outcomeOf(batch);
        List<Mutation> concerned = concernedMutations(batch, outcome);
        List<byte[]> repeated = repeatedRows(batch);
        if (!concerned.isEmpty() || !repeated.isEmpty()) {
            try {
                enter(batch, concerned, repeated, outcome);
            } catch (DoNotRetryIOException | RegionTooBusyException e) {
                outcome.refuse(concerned, e);
            }
        }
    }

    private BatchOutcome outcomeOf(MiniBatchOperationInProgress<Mutation> batch) {
        return new BatchOutcome(batch, indexes.server().platform());
    }

    private void enter(
            MiniBatchOperationInProgress<Mutation> batch,
            List<Mutation> concerned,
            List<byte[]> repeated,
            BatchOutcome outcome)
            throws IOException {
        requireReplayableWal(
                concerned.isEmpty()
                        ? "Not acknowledged; the row has it since it was sent first, its index perhaps not"
                        : "Write refused, nothing was written");
        InFlight inFlight = indexes.enter(InFlight.bytesOf(concerned.stream().mapToLong(this::bytesOf)));
        MiniBatch entered = new MiniBatch(concerned, repeated, check::concernsWhatExpires, inFlight);
        entered.isIn(batch);
        try {
            own.all().stream().filter(entered::hasRowOf).forEach(this::leaveBehind);
            entered.lockedBy(indexes.locks().acquire(entered.rows()));
            entered.stamp(indexes.clock(), uncertain.after(indexes.stamps().times()::earliest), outcome::refuse);
            own.begin(entered);
        } finally {
            if (own.get() == null) {
                leave(entered);
            }
        }
    }

    /** HBase begins to carry out a call of this thread, perhaps within another. */
    void callBegins() {
        own.callBegins();
    }

    /** The innermost call of this thread has ended, whatever came of it. */
    void callEnds() {
        leaveBehindUnfinished();
        own.callEnds();
    }

    /** A batch of the innermost call that HBase never completed: another coprocessor failed between our hooks. */
    private void leaveBehindUnfinished() {
        MiniBatch unfinished = own.get();
        if (unfinished != null) {
            leaveBehind(unfinished);
        }
    }

    /** Nobody waits for the end of a batch any more, which another coprocessor has broken off, or wrote to the same row in. */
    private void leaveBehind(MiniBatch unfinished) {
        own.end(unfinished);
        LOG.warn(
                "A batch was left unfinished by another coprocessor; its rows are looked at again [region={}]",
                indexes.name());
        try {
            leaveUnknownToQueue(unfinished);
        } finally {
            leave(unfinished);
        }
    }

    /** Those indexes may lack what the batch did, if it did anything. What is in the memstore is in the synced WAL too. */
    private void leaveUnknownToQueue(MiniBatch batch) {
        if (batch.inFlight().changes().isEmpty()) {
            batch.isUncertainIn(uncertain);
        }
        leaveToQueue(batch, index -> true);
    }

    private void leaveToQueue(MiniBatch batch, Predicate<IndexDefinition> lacking) {
        batch.inFlight().changes().forEach(change -> indexes.lacking(change, lacking, batch.inFlight()));
        indexes.processor().wake();
    }

    /** The memory that the change by a mutation will take. */
    private long bytesOf(Mutation mutation) {
        Stream<Cell> indexed = mutation.getFamilyCellMap().values().stream()
                .flatMap(List::stream)
                .filter(indexes.maintainers()::concernedBy);
        return RowChange.heapSizeOf(mutation.getRow(), indexed);
    }

    private List<Mutation> concernedMutations(MiniBatchOperationInProgress<Mutation> batch, BatchOutcome outcome)
            throws IOException {
        List<Mutation> concerned = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            Mutation mutation = batch.getOperation(i);
            if (outcome.isPending(i) && concernedBy(mutation)) {
                Optional<String> refusal = check.refusal(mutation).or(() -> syncedWal.refusal(mutation));
                if (refusal.isPresent()) {
                    outcome.refuse(i, refusal.get());
                } else {
                    concerned.add(mutation);
                }
            }
        }
        return concerned;
    }

    /**
     * The rows of increments and appends that a client sends again and HBase has done before, as it knows by their nonces:
     * it does not do them again, but acknowledges them now. A crash may have come between the first time and the index.
     */
    private List<byte[]> repeatedRows(MiniBatchOperationInProgress<Mutation> batch) {
        List<byte[]> rows = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            boolean isDone = batch.getOperationStatus(i).getOperationStatusCode() == OperationStatusCode.SUCCESS;
            if (isDone && indexes.maintainers().hasSynchronous()) {
                rows.add(batch.getOperation(i).getRow());
            }
        }
        return rows;
    }

    private void requireReplayableWal(String refusal) throws DoNotRetryIOException {
        if (indexes.server().settings().splitsWalToHFiles()) {
            throw new DoNotRetryIOException(refusal + ": with " + Settings.SPLIT_TO_HFILE
                    + "=true a crash would lose index updates; set it to false in hbase-site.xml and restart the region"
                    + " servers [table=" + indexes.region().getTableDescriptor().getTableName() + "]");
        }
    }

    /** Just before the WAL append; the edit holds all cells, also those that increments and appends came to. */
    void beforeWalAppend(WALKey key, WALEdit edit) throws IOException {
        MiniBatch batch = own.get();
        refuseWhatPassesBy(batch, edit);
        indexes.recent().add(key, edit.size());
        if (batch != null) {
            batch.leaveOutWhatOthersRefused();
            batch.logged(key, edit, indexes.maintainers());
            if (indexes.maintainers().hasInserts()) {
                batch.insertsToldByPuts(indexes.maintainers())
                        .filter(inserts -> !inserts.isEmpty())
                        .ifPresent(inserts -> batch.insertsAreUnderWay(EarlyInserts.send(
                                inserts,
                                indexes.server().sink(),
                                indexes.server().insertThreads())));
            }
        }
    }

    /**
     * Refuses what reaches the WAL and concerns an index without having been checked and stamped as a write: what a row
     * processor writes, what another coprocessor adds to a batch, or what is replayed to this region as to a replica.
     */
    private void refuseWhatPassesBy(MiniBatch batch, WALEdit edit) throws DoNotRetryIOException {
        boolean passesBy = batch == null
                ? edit.getCells().stream().anyMatch(indexes.maintainers()::concernedBy)
                : batch.additions().anyMatch(this::concernedBy);
        if (passesBy) {
            throw new DoNotRetryIOException("Write refused, nothing was written: a row processor, or a write that a"
                    + " coprocessor adds to another, would pass by the indexes of the columns that it changes; use puts,"
                    + " deletes, RowMutations or MultiRowMutationEndpoint [region=" + indexes.name() + "]");
        }
    }

    /**
     * Waits for the writes of a row that were under way when this was called, if entries of theirs may be in an index
     * already.
     */
    void awaitWritesOf(byte[] row) {
        if (indexes.maintainers().hasInserts()) {
            indexes.locks().acquire(Set.of(new ImmutableBytesWritable(row))).release();
        }
    }

    /** In the memstore, under HBase's row locks and before a flush can take its snapshot. */
    void applied() {
        MiniBatch batch = own.get();
        if (batch != null && batch.isLogged()) {
            batch.inFlight().applied(batch.changes(indexes.maintainers()), indexes.undelivered());
            batch.tombstones().forEach(cell -> indexes.history().applied(cell, batch.sequence()));
        }
    }

    private void leave(MiniBatch batch) {
        batch.unlock();
        batch.inFlight().changes().forEach(indexes.underWay()::leave);
        batch.inFlight().letGo();
    }

    /** Visible, or failed. Throws if the base is durable and a synchronous index is not. */
    void completed(MiniBatchOperationInProgress<Mutation> operations, boolean success) throws IOException {
        MiniBatch batch = own.get();
        if (batch == null) {
            return;
        }
        own.end(batch);
        boolean isHandedOn = false;
        try {
            if (success) {
                Map<ImmutableBytesWritable, CompletedRow> rows = completeRows(batch);
                if (orDelay(operations, rows, batch, () -> answerSessions(operations, rows))) {
                    isHandedOn = true;
                    Delivery delivery = new Delivery(operations, rows, batch);
                    if (!heldRows.putOff(operations, delivery)) {
                        delivery.finish();
                    }
                }
            } else {
                leaveUnknownToQueue(batch);
            }
        } finally {
            if (!isHandedOn) {
                leave(batch);
            }
        }
    }

    /** What happened to the rows: in the AUQ if an index wants it there; the rows are free for the next write. */
    private Map<ImmutableBytesWritable, CompletedRow> completeRows(MiniBatch batch) {
        try {
            Map<ImmutableBytesWritable, CompletedRow> rows = new LinkedHashMap<>();
            long now = indexes.server().platform().nanoTime();
            Iterator<RowImages> images =
                    indexes.maintainers().imagesOf(batch.inFlight().changes()).iterator();
            for (RowChange change : batch.inFlight().changes()) {
                List<RowChange> earlier = indexes.maintainers().concernedBy(change, SynchronousUpdates::isSynchronous)
                        ? indexes.underWay().enter(change)
                        : List.of();
                rows.put(new ImmutableBytesWritable(change.row()), new CompletedRow(change, images.next(), earlier));
                if (indexes.maintainers()
                        .concernedBy(change, index -> index.scheme().isAsynchronous())) {
                    indexes.queue().add(change, batch.inFlight(), now);
                }
            }
            indexes.processor().wake();
            return rows;
        } finally {
            batch.unlock();
        }
    }

    /** Tells a session what its write did to the async-session indexes that it may read, in the answer to the write. */
    private void answerSessions(
            MiniBatchOperationInProgress<Mutation> operations, Map<ImmutableBytesWritable, CompletedRow> rows)
            throws IOException {
        for (int i = 0; i < operations.size(); i++) {
            Mutation mutation = operations.getOperation(i);
            boolean isDone = operations.getOperationStatus(i).getOperationStatusCode() == OperationStatusCode.SUCCESS;
            if (isDone && mutation.getAttribute(SessionChange.ATTRIBUTE) != null) {
                CompletedRow row = rows.get(new ImmutableBytesWritable(mutation.getRow()));
                if (row != null) {
                    List<SessionChange> answer = indexes.maintainers()
                            .sessionChanges(row.change(), row.images(), index -> indexes.server()
                                    .permissionsOn(index.indexTable())
                                    .mayRead());
                    operations.setOperationStatus(
                            i, new OperationStatus(OperationStatusCode.SUCCESS, SessionChange.toResult(answer)));
                }
            }
        }
    }

    /** Does a part of what the client is to find done; else leaves it to the AUQ, and tells the client so. */
    private boolean orDelay(
            MiniBatchOperationInProgress<Mutation> operations,
            Map<ImmutableBytesWritable, CompletedRow> rows,
            MiniBatch batch,
            Step step)
            throws IOException {
        try {
            step.run();
            return true;
        } catch (IOException | RuntimeException e) {
            // Only for these: the others have it in the AUQ, where a later write may take it up so that it never
            // travels.
            leaveToQueue(batch, SynchronousUpdates::isSynchronous);
            outcomeOf(operations)
                    .delay(
                            rowsOf(rows, batch),
                            indexes.region().getTableDescriptor().getTableName(),
                            e);
            return false;
        }
    }

    /** The part of a batch that may take long. */
    private final class Delivery implements HeldRows.Rest {
        private final MiniBatchOperationInProgress<Mutation> operations;
        private final Map<ImmutableBytesWritable, CompletedRow> rows;
        private final MiniBatch batch;

        Delivery(
                MiniBatchOperationInProgress<Mutation> operations,
                Map<ImmutableBytesWritable, CompletedRow> rows,
                MiniBatch batch) {
            this.operations = operations;
            this.rows = rows;
            this.batch = batch;
        }

        @Override
        public void finish() throws IOException {
            try {
                orDelay(operations, rows, batch, () -> updates.write(rows.values(), batch));
            } finally {
                leave(batch);
            }
        }

        @Override
        public void leaveBehind() {
            try {
                leaveToQueue(batch, SynchronousUpdates::isSynchronous);
            } finally {
                leave(batch);
            }
        }
    }

    private static Set<ImmutableBytesWritable> rowsOf(
            Map<ImmutableBytesWritable, CompletedRow> completed, MiniBatch batch) {
        Set<ImmutableBytesWritable> rows = new HashSet<>(completed.keySet());
        batch.repeated().forEach(row -> rows.add(new ImmutableBytesWritable(row)));
        return rows;
    }
}
