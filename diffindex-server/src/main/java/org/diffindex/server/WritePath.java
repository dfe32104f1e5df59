package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.model.IndexSet;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.queue.PendingBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the steps of index maintenance for a mini-batch of writes, in the order of HBase's hooks:
 *
 * <ol>
 *   <li>{@link #prepare}: marks the cells to which the server assigns timestamps, and raises the durability;
 *   <li>{@link #beforeBatch}: checks the writes; {@link Admission} admits or refuses the batch; {@link RowOrder} locks
 *       its rows and assigns its stamps;
 *   <li>{@link #beforeWalAppend}: records the stamps in the WAL key, and sends the inserts that need not wait for the
 *       row;
 *   <li>{@link #applied}: the batch is in the memstore and has its log sequence number; from now on its rows can be
 *       read as they were before and after it;
 *   <li>{@link #visible}: the batch is visible; its rows are freed for other writes, before later coprocessors learn of
 *       it;
 *   <li>{@link #completed}: {@link Acknowledgement} delivers the batch to the indexes or the AUQ, and answers.
 * </ol>
 *
 * <p>Thread-safe; used by the handlers of the server. All steps of a batch run on one thread, which finds the batch
 * among its {@link OwnBatches}; no other thread sees it. Lock order: HBase's row locks, then those of {@link RowOrder}.
 */
final class WritePath {
    private static final Logger LOG = LoggerFactory.getLogger(WritePath.class);

    private final String region;
    private final RegionMaintainers maintainers;
    private final WriteCheck check;
    private final Admission admission;
    private final RowOrder order;
    private final EarlyInserts.Sender earlyInserts;
    private final MemstoreWrites memstore;
    private final Acknowledgement acknowledgement;
    private final Platform platform;
    private final OwnBatches own = new OwnBatches(this::handOverIfVisible);

    /**
     * Creates the write path of a region.
     *
     * @param region the region's name, for messages
     */
    WritePath(
            String region,
            RegionMaintainers maintainers,
            WriteCheck check,
            Admission admission,
            RowOrder order,
            EarlyInserts.Sender earlyInserts,
            MemstoreWrites memstore,
            Acknowledgement acknowledgement,
            Platform platform) {
        this.region = region;
        this.maintainers = maintainers;
        this.check = check;
        this.admission = admission;
        this.order = order;
        this.earlyInserts = earlyInserts;
        this.memstore = memstore;
        this.acknowledgement = acknowledgement;
        this.platform = platform;
    }

    /** Prepares a mutation. Must be called before HBase fills in the timestamps and determines the durability of the batch. */
    void prepare(Mutation mutation) {
        if (concernedBy(mutation)) {
            check.prepare(mutation);
        } else {
            ServerTime.mark(mutation);
        }
    }

    /** Dates the results of an increment or append that concerns no index; those of others get their stamps later. */
    void computed(Mutation delta, List<Pair<Cell, Cell>> results) throws IOException {
        if (!concernedBy(delta)) {
            order.dateResults(delta, results.stream().map(Pair::getSecond).toList());
        }
    }

    private boolean concernedBy(Mutation mutation) {
        for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
            for (Cell cell : cells) {
                if (maintainers.concernedBy(cell)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Begins a call on this thread that may write and may wait for other writes: of a batch, a checkAndMutate or a row
     * processor. It may be nested in a write: a coprocessor ordered before the index's may make it in a hook that comes
     * before {@link #visible}.
     */
    void callBegins() {
        abandonAll(own.takeLeftBehind());
        own.callBegins();
        OwnBatches.handOverVisible();
    }

    /** Ends the innermost call of this thread, whether it succeeded or failed. */
    void callEnds() {
        abandonAll(own.callEnds());
    }

    /** Abandons batches that HBase never completed because another coprocessor failed between two hooks. */
    private void abandonAll(List<MiniBatch> unfinished) {
        NestedCalls.abandonEach(unfinished, this::abandon);
    }

    private void abandon(MiniBatch unfinished) {
        LOG.warn(
                "A batch was left unfinished by another coprocessor; its rows are looked at again [region={}]", region);
        fail(unfinished);
    }

    /**
     * Abandons a batch that HBase failed or never completed. It may be visible nevertheless: HBase shows what is in the
     * memstore, even if a coprocessor fails in {@code postBatchMutate}, perhaps before it is this one's turn. Of the rest,
     * a replay may restore what was sent to the WAL.
     */
    private void fail(MiniBatch batch) {
        try {
            if (batch.isLogged() && !batch.isHandedOver()) {
                if (memstore.isUnconfirmed(batch)) {
                    judgeRowsOf(batch);
                }
                own.inMemstore() // nobody may read the rows between their release and their becoming visible
                        .ifPresentOrElse(
                                outer -> acknowledgement.leaveLocksTo(outer, batch, memstore::awaitVisible),
                                memstore::awaitVisible);
            }
        } finally {
            memstore.ended(batch);
            acknowledgement.abandon(batch);
        }
    }

    /**
     * Records which rows of a failed batch may be absent, and are uncertain until the region is opened again, and which
     * may be in the memstore, and have changed; how is to be read. A row of which nothing is known is both.
     */
    private void judgeRowsOf(MiniBatch batch) {
        Map<ImmutableBytesWritable, MemstoreWrites.Fate> fates = memstore.fatesOf(batch);
        order.failed(batch, row -> fates.get(row) != MemstoreWrites.Fate.PRESENT);
        memstore.failed(batch, batch.changesToRead(row -> fates.get(row) != MemstoreWrites.Fate.ABSENT));
    }

    /**
     * Checks, admits, locks and stamps a batch before it is logged. If this throws, the batch is refused and nothing of
     * it is written.
     */
    void beforeBatch(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
        abandonAll(own.takeLeftBehind()); // perhaps the preceding batch of the same call
        BatchOutcome outcome = new BatchOutcome(batch, platform);
        outcome.refuseUnknown();
        List<Mutation> concerned = concernedMutations(batch, outcome);
        List<byte[]> repeated = repeatedRows(batch, outcome);
        if (!concerned.isEmpty() || !repeated.isEmpty()) {
            try {
                enter(batch, concerned, repeated, outcome);
            } catch (DoNotRetryIOException | RegionTooBusyException e) {
                outcome.refuse(concerned, e);
            } catch (IOException e) {
                outcome.leaveTimesToServer();
                throw e;
            }
        }
        MiniBatch entered = own.get();
        if (entered == null || !entered.isAllOf(batch)) {
            order.date(outcome.pending(row -> entered == null || !entered.hasRow(row)), outcome::refuse);
        }
    }

    private void enter(
            MiniBatchOperationInProgress<Mutation> batch,
            List<Mutation> concerned,
            List<byte[]> repeated,
            BatchOutcome outcome)
            throws IOException {
        admission.requireReplayableWal(
                concerned.isEmpty()
                        ? "Not acknowledged; the row has it since it was sent first, its index perhaps not"
                        : "Write refused, nothing was written");
        long bytes = PendingBatch.bytesOf(concerned.stream().mapToLong(this::bytesOf));
        PendingBatch pending = repeated.isEmpty() ? admission.admit(bytes) : admission.admitWritten(bytes);
        MiniBatch entered = new MiniBatch(
                withOthersOfTheirRows(concerned, batch, outcome), repeated, check::concernsWhatExpires, pending);
        entered.isIn(batch);
        try {
            own.requireNoRowOf(entered);
            for (byte[] row : repeated) {
                order.awaitWriteOf(row);
            }
            order.lockAndStamp(entered, outcome::refuse);
            own.begin(entered);
        } finally {
            if (own.get() == null) {
                acknowledgement.release(entered);
            }
        }
    }

    /** Returns some writes and all others of their rows, in the order of the batch. */
    private static List<Mutation> withOthersOfTheirRows(
            List<Mutation> writes, MiniBatchOperationInProgress<Mutation> batch, BatchOutcome outcome) {
        if (writes.isEmpty() || writes.size() == batch.size()) {
            return writes;
        }
        Set<ImmutableBytesWritable> rows = new HashSet<>();
        writes.forEach(write -> rows.add(new ImmutableBytesWritable(write.getRow())));
        return outcome.pending(row -> rows.contains(new ImmutableBytesWritable(row)));
    }

    /** Returns the memory, in bytes, that the change by a mutation takes while it is in flight. */
    private long bytesOf(Mutation mutation) {
        Stream<Cell> indexed = mutation.getFamilyCellMap().values().stream()
                .flatMap(List::stream)
                .filter(maintainers::concernedBy);
        return RowChange.heapSizeOf(mutation.getRow(), indexed);
    }

    /** Returns the pending mutations that concern an index, except those that this method refuses. */
    private List<Mutation> concernedMutations(MiniBatchOperationInProgress<Mutation> batch, BatchOutcome outcome)
            throws IOException {
        List<Mutation> concerned = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            Mutation mutation = batch.getOperation(i);
            if (outcome.isPending(i) && concernedBy(mutation)) {
                Optional<String> refusal = check.refusal(mutation);
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
     * Returns the rows of increments and appends that a client sent again after HBase had executed them, as their
     * nonces show; puts and deletes have none. HBase acknowledges them without executing them again, but a crash may
     * have prevented the index updates of the first execution, or they are in flight: HBase counts it as executed
     * before its last hook.
     */
    private List<byte[]> repeatedRows(MiniBatchOperationInProgress<Mutation> batch, BatchOutcome outcome) {
        List<byte[]> rows = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            Mutation mutation = batch.getOperation(i);
            if (outcome.isDone(i) && RowWrites.isDelta(mutation) && maintainers.haveAny(IndexSet.synchronous())) {
                rows.add(mutation.getRow());
            }
        }
        return rows;
    }

    /**
     * Stamps and records a batch immediately before its WAL append.
     *
     * @param edit all cells of the batch, including the results of increments and appends
     */
    void beforeWalAppend(WALKey key, WALEdit edit) throws IOException {
        MiniBatch batch = ownUnless(MiniBatch::isLogged); // each batch is logged once
        refuseWhatPassesBy(batch, edit);
        memstore.appending(key, edit);
        if (batch != null) {
            batch.leaveOutWhatOthersRefused();
            batch.checkWhatOthersChanged(this::refusal, maintainers);
            batch.logged(key, edit, maintainers);
            memstore.logged(batch);
            sendInserts(batch);
        }
    }

    /** Returns the batch of the innermost call; null if it has none. Abandons one that turns out to be left behind. */
    private MiniBatch ownUnless(Predicate<MiniBatch> isLeftBehind) {
        MiniBatch batch = own.get();
        if (batch == null || !isLeftBehind.test(batch)) {
            return batch;
        }
        own.end();
        abandon(batch);
        return null;
    }

    /** Returns why a write is refused; empty if it is not, or concerns no index. */
    private Optional<String> refusal(Mutation write) {
        return concernedBy(write) ? check.refusal(write) : Optional.empty();
    }

    /** Sends the entries that may precede their rows, if the puts alone determine them. */
    private void sendInserts(MiniBatch batch) {
        if (maintainers.haveAny(EarlyInserts.INDEXES)) {
            batch.insertsToldByPuts(maintainers)
                    .filter(inserts -> !inserts.isEmpty())
                    .flatMap(earlyInserts::send)
                    .ifPresent(batch::insertsInFlight);
        }
    }

    /**
     * Refuses an edit that concerns an index and was not checked and stamped as a batch: one of a row processor, one
     * that another coprocessor adds to a batch or to a write of it that concerned no index, or one that is replayed to
     * this region as to a replica.
     */
    private void refuseWhatPassesBy(MiniBatch batch, WALEdit edit) throws DoNotRetryIOException {
        boolean passesBy = batch == null
                ? edit.getCells().stream().anyMatch(maintainers::concernedBy)
                : Stream.concat(batch.additions(), batch.others()).anyMatch(this::concernedBy);
        if (passesBy) {
            throw new DoNotRetryIOException("Write refused, nothing was written: a row processor, or what a coprocessor"
                    + " adds to a batch in preBatchMutate, would pass by the indexes of the columns that it changes; use"
                    + " puts, deletes, RowMutations or MultiRowMutationEndpoint, or add to a write in prePut or preDelete"
                    + " [region=" + region + "]");
        }
    }

    /**
     * Records that the batch is in the memstore. Called under HBase's row locks, before a flush can take its snapshot.
     */
    void applied(MiniBatchOperationInProgress<Mutation> operations) {
        MiniBatch batch = ownUnless(own -> !own.isOf(operations));
        if (batch != null && batch.isLogged()) {
            memstore.applied(batch, batch.changes(maintainers));
        }
    }

    /**
     * Hands the batch over and frees its rows. Called for each successful write of the batch before the hooks of later
     * coprocessors, in which this thread, or another one for which it waits, may wait for other writes. A write that
     * was executed before is successful even if the batch is not visible.
     */
    void visible() {
        MiniBatch batch = own.get();
        if (batch != null) {
            handOverIfVisible(batch);
        }
    }

    private void handOverIfVisible(MiniBatch batch) {
        if (!batch.isHandedOver() && memstore.shows(batch)) {
            acknowledgement.handOver(batch);
        }
    }

    /**
     * Completes the batch if it is visible; abandons it if it failed.
     *
     * @throws IOException if HBase carries out the batch as a whole, and the base is durable but a synchronous index is
     *     not
     */
    void completed(MiniBatchOperationInProgress<Mutation> operations, boolean success) throws IOException {
        MiniBatch batch = ownUnless(own -> !own.isOf(operations));
        if (batch == null) {
            return;
        }
        own.end();
        if (success) {
            acknowledgement.complete(operations, batch);
        } else {
            fail(batch);
        }
    }

    /**
     * Waits, before the lookup of a row that a reader found in an index, for the write of the row that is in flight
     * now, if its entries may be in an index before the row has the value.
     */
    void beforeLookup(byte[] row) throws IOException {
        if (maintainers.haveAny(EarlyInserts.INDEXES)) {
            order.awaitWriteOf(row);
        }
    }
}
