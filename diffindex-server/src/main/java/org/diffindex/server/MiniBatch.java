package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.PlainPut;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.queue.PendingBatch;

/**
 * The writes of one HBase mini-batch that concern an index, and the other writes of their rows, from {@code
 * preBatchMutate} to {@code postBatchMutateIndispensably}. Confined to the thread that runs the batch.
 */
final class MiniBatch {
    private final Map<ImmutableBytesWritable, RowWrites> rows = new LinkedHashMap<>();
    private final List<byte[]> repeated;
    private final Predicate<Mutation> expires;
    private final PendingBatch pending;
    private RowLocks.Held locks = () -> {};
    private MiniBatchOperationInProgress<Mutation> operations;

    /** The cells as they were stamped; null before that. */
    private CheckedCells checked;

    /** Non-null while stamps are assigned that {@link #unlock} must report as passed. */
    private RowClock clock;

    private WALKey walKey;
    private EarlyInserts earlyInserts;

    /** Null until the batch is handed over. */
    private Map<ImmutableBytesWritable, CompletedRow> completedRows;

    /**
     * Creates a batch of writes.
     *
     * @param repeated the rows of writes that were executed before and are only acknowledged again
     * @param expires matches the mutations whose cells must have their stamp as timestamp, since index entries expire
     *     by it
     */
    MiniBatch(List<Mutation> mutations, List<byte[]> repeated, Predicate<Mutation> expires, PendingBatch pending) {
        for (Mutation mutation : mutations) {
            rows.computeIfAbsent(new ImmutableBytesWritable(mutation.getRow()), RowWrites::new)
                    .add(mutation);
        }
        this.repeated = repeated;
        this.expires = expires;
        this.pending = pending;
    }

    List<byte[]> repeated() {
        return repeated;
    }

    PendingBatch pending() {
        return pending;
    }

    Set<ImmutableBytesWritable> rows() {
        return rows.keySet();
    }

    /** Returns whether the batch contains the writes of a row. */
    boolean hasRow(byte[] row) {
        return rows.containsKey(new ImmutableBytesWritable(row));
    }

    /** Sets HBase's batch, to which other coprocessors may add writes until it is logged. */
    void isIn(MiniBatchOperationInProgress<Mutation> batch) {
        operations = batch;
    }

    /** Returns whether this is, or is part of, a batch of HBase's. */
    boolean isOf(MiniBatchOperationInProgress<Mutation> batch) {
        return operations == batch;
    }

    /** Returns the writes that other coprocessors added after the hooks for single writes. */
    Stream<Mutation> additions() {
        return IntStream.range(0, operations.size())
                .mapToObj(operations::getOperationsFromCoprocessors)
                .filter(Objects::nonNull)
                .flatMap(Arrays::stream);
    }

    /** Returns the pending writes that concerned no index when checked. Must be called before the batch is logged. */
    Stream<Mutation> others() {
        if (isAllOf(operations)) {
            return Stream.empty();
        }
        Set<Mutation> own = Collections.newSetFromMap(new IdentityHashMap<>());
        rows.values().forEach(writes -> own.addAll(writes.mutations()));
        return pendingWrites().filter(write -> !own.contains(write));
    }

    private Stream<Mutation> pendingWrites() {
        return IntStream.range(0, operations.size())
                .filter(i -> operations.getOperationStatus(i).getOperationStatusCode() == OperationStatusCode.NOT_RUN)
                .mapToObj(operations::getOperation);
    }

    /** Returns the number of writes in this batch. */
    private int size() {
        return rows.values().stream()
                .mapToInt(writes -> writes.mutations().size())
                .sum();
    }

    void lockedBy(RowLocks.Held held) {
        locks = held;
    }

    /** Leaves the row locks to the batch in whose hook this one failed, which waits before it releases them. */
    void leaveLocksTo(MiniBatch outer, Runnable awaitVisible) {
        outer.locks = outer.locks.and(awaitVisible, locks);
        locks = () -> {};
    }

    /** Releases the row locks, so that the rows' next writes proceed, with later stamps. Idempotent. */
    void unlock() {
        if (clock != null) {
            rows.values().forEach(writes -> writes.passed(clock));
            clock = null;
        }
        RowLocks.Held held = locks;
        locks = () -> {};
        held.release();
    }

    /** Refuses the writes of a row. */
    @FunctionalInterface
    interface Refusal {
        /** Refuses writes; throws the given reason if it refuses the whole batch. */
        void of(List<Mutation> writes, IOException why) throws IOException;
    }

    /**
     * Assigns each row its stamps, and their timestamps to the cells whose time the server chooses. The region's locks
     * of the rows must be held. A row is refused, and removed from this batch, if it is written too often, or if the
     * timestamp of a cell must be its stamp, since the index entry expires, and cannot be that.
     *
     * @param times returns the timestamp where the stamp cannot be one
     */
    void stamp(RowClock from, RowWrites.Times times, Refusal refusal) throws IOException {
        clock = from;
        Iterator<RowWrites> each = rows.values().iterator();
        while (each.hasNext()) {
            RowWrites writes = each.next();
            try {
                writes.stamp(from, times, expires);
            } catch (DoNotRetryIOException | RegionTooBusyException e) {
                refusal.of(writes.mutations(), e);
                writes.passed(from);
                each.remove();
            }
        }
        checked = new CheckedCells(rows.values().stream()
                .flatMap(writes -> writes.mutations().stream())
                .toList());
    }

    /**
     * Prepares the batch for its WAL append under a key, which receives its sequence number then. Records in the key
     * that the writes have stamps, and the stamps that a replay cannot derive from the cells.
     *
     * @throws DoNotRetryIOException if the timestamp of a cell must be its stamp and cannot be; the batch must be
     *     refused
     */
    void logged(WALKey key, WALEdit edit, RegionMaintainers maintainers) throws DoNotRetryIOException {
        stampDeltas(edit, maintainers);
        walKey = key;
        if (!rows.isEmpty()) {
            logStamps(key, edit, maintainers);
        }
    }

    /**
     * Removes the writes that later coprocessors refused, which HBase does not write. Must be called before the batch
     * is logged.
     */
    void leaveOutWhatOthersRefused() {
        Set<Mutation> written = Collections.newSetFromMap(new IdentityHashMap<>());
        pendingWrites().forEach(written::add);
        rows.values().removeIf(writes -> {
            boolean isLeftOut = !writes.keepOnly(written);
            if (isLeftOut) {
                writes.passed(clock);
            }
            return isLeftOut;
        });
    }

    /**
     * Checks the writes that concern an index again if later coprocessors changed any in place, and takes their timestamps
     * for given ones. What they added to the batch is no such change. Must be called before the batch is logged.
     *
     * @param check returns why a write is refused
     * @throws DoNotRetryIOException if a write must be refused; the batch must be refused
     */
    void checkWhatOthersChanged(Function<Mutation, Optional<String>> check, RegionMaintainers maintainers)
            throws DoNotRetryIOException {
        if (!checked.haveChanged(additions())) {
            return;
        }
        for (RowWrites writes : rows.values()) {
            writes.timestampsAreGiven();
            for (Mutation write : writes.mutations()) {
                Optional<String> refusal = check.apply(write);
                if (refusal.isPresent()) {
                    throw new DoNotRetryIOException(refusal.get());
                }
                if (expires.test(write)) {
                    writes.requireStampedCells(write, maintainers);
                }
            }
        }
    }

    private void logStamps(WALKey key, WALEdit edit, RegionMaintainers maintainers) {
        if (!rows.values().stream().allMatch(RowWrites::areStampsTimestamps)) {
            edit.getCells().stream()
                    .filter(cell -> !isDatedByStamp(cell) && maintainers.concernedBy(cell))
                    .forEach(cell -> maintainers.raiseHorizon(cell.getTimestamp()));
        }
        WalStamps.of(rows, hasWritesOfNoIndex() ? edit.getCells() : List.of()).addTo(key);
    }

    private boolean isDatedByStamp(Cell cell) {
        RowWrites writes = rows.get(
                new ImmutableBytesWritable(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength()));
        return writes != null && writes.areStampsTimestamps();
    }

    /**
     * Returns whether HBase's batch contains writes of rows that concern no index. Their timestamps are not stamps,
     * which matters if an index that they concern exists at replay.
     */
    private boolean hasWritesOfNoIndex() {
        return operations != null
                && (!isAllOf(operations) || additions().findAny().isPresent());
    }

    /** Returns whether HBase's batch has no other writes than these. */
    boolean isAllOf(MiniBatchOperationInProgress<Mutation> batch) {
        return batch.size() == size();
    }

    /**
     * Assigns timestamps to the results of increments and appends, to which HBase gave the time of the batch or one just
     * after that of the previous cell: a time at which no earlier write of the row hides them, or their stamp if entries
     * expire.
     */
    private void stampDeltas(WALEdit edit, RegionMaintainers maintainers) throws DoNotRetryIOException {
        Map<ImmutableBytesWritable, RowWrites> deltas = new HashMap<>();
        Set<Cell> ofOthers = Collections.newSetFromMap(new IdentityHashMap<>());
        rows.forEach((row, writes) -> {
            if (writes.hasDeltas()) {
                deltas.put(row, writes);
                writes.mutations().stream()
                        .filter(mutation -> !RowWrites.isDelta(mutation))
                        .forEach(mutation -> ofOthers.addAll(RowWrites.cellsOf(mutation)));
            }
        });
        if (deltas.isEmpty()) {
            return;
        }
        for (Cell cell : edit.getCells()) {
            RowWrites writes = deltas.get(new ImmutableBytesWritable(CellUtil.cloneRow(cell)));
            if (writes == null || ofOthers.contains(cell)) {
                continue;
            }
            if (writes.mayBeResult(cell)) {
                stampDelta(cell, writes, maintainers.concernedBy(cell));
            } else {
                writes.hasOtherResults();
            }
        }
    }

    private void stampDelta(Cell cell, RowWrites writes, boolean isIndexed) throws DoNotRetryIOException {
        boolean isToExpire = isIndexed
                && writes.mutations().stream().anyMatch(each -> RowWrites.isDelta(each) && expires.test(each));
        if (!isToExpire) {
            if (writes.mutations().stream().anyMatch(each -> ServerTime.isGivenToDelta(each, cell))) {
                return; // as HBase does for the first cell of a column
            }
            RowWrites.setTimestamp(cell, Math.max(cell.getTimestamp(), writes.time()));
        } else if (cell.getTimestamp() <= writes.lastStamp()) {
            RowWrites.setTimestamp(cell, Math.max(cell.getTimestamp(), writes.firstStamp()));
        } else {
            throw RowWrites.aheadOfTheClock(CellUtil.cloneRow(cell));
        }
    }

    /**
     * Returns the entries that may be put before their rows; empty if the puts of this batch do not determine all of
     * them. The batch must have its stamps.
     */
    Optional<List<IndexUpdate>> insertsToldByPuts(RegionMaintainers maintainers) {
        List<IndexUpdate> inserts = new ArrayList<>();
        for (RowWrites writes : rows.values()) {
            Optional<PlainPut> put = Optional.ofNullable(writes.plainPut(maintainers));
            Optional<List<IndexUpdate>> told = put.flatMap(maintainers::insertsToldBy);
            if (told.isEmpty()) {
                return Optional.empty();
            }
            inserts.addAll(told.get());
        }
        return Optional.of(inserts);
    }

    /** Records that entries that may precede their rows are in flight. */
    void insertsInFlight(EarlyInserts inserts) {
        earlyInserts = inserts;
    }

    /** Returns the entries that were sent before the rows were logged; empty if none were. */
    Optional<EarlyInserts> earlyInserts() {
        return Optional.ofNullable(earlyInserts);
    }

    /**
     * Returns whether the WAL may contain the batch: whether it has assigned the log sequence number, which it does
     * just before it accepts the batch. A batch is never logged if it has no effect, or if another coprocessor refuses
     * it in {@code preWALAppend}.
     */
    boolean isLogged() {
        return walKey != null && sequence() > 0;
    }

    /** Records that the batch, which is visible, has been handed over, and what is still to be done for its rows. */
    void handedOver(Map<ImmutableBytesWritable, CompletedRow> completed) {
        completedRows = completed;
    }

    boolean isHandedOver() {
        return completedRows != null;
    }

    /** Returns the rows of the batch, which must have been handed over. */
    Map<ImmutableBytesWritable, CompletedRow> completedRows() {
        return completedRows;
    }

    /** Adds the writes of some rows, which failed, and which the WAL may contain nevertheless. */
    void addTo(UncertainWrites uncertain, Predicate<ImmutableBytesWritable> uncertainRows) {
        rows.forEach((row, writes) -> {
            if (uncertainRows.test(row)) {
                uncertain.add(new ImmutableBytesWritable(row.copyBytes()), writes.firstStamp(), writes.latestTime());
            }
        });
    }

    /** Returns the log sequence number of all writes of the batch; not positive if the WAL has not assigned it. */
    long sequence() {
        return walKey.getSequenceId();
    }

    /** Returns the cells of the deletes, and the tombstones that puts contain. */
    Stream<Cell> tombstones() {
        return rows.values().stream()
                .flatMap(writes -> writes.mutations().stream())
                .flatMap(mutation -> mutation.getFamilyCellMap().values().stream())
                .flatMap(List::stream)
                .filter(cell -> !CellUtil.isPut(cell));
    }

    /** Returns the change of each row. The batch must be in the WAL. */
    List<RowChange> changes(RegionMaintainers maintainers) {
        List<RowChange> changes = new ArrayList<>(rows.size());
        rows.values().forEach(writes -> changes.add(writes.appliedAt(sequence(), maintainers)));
        return changes;
    }

    /** Returns the changes of some rows without their cells, since HBase may not have applied all of these. */
    List<RowChange> changesToRead(Predicate<ImmutableBytesWritable> ofRows) {
        return rows.values().stream()
                .filter(writes -> ofRows.test(writes.row()))
                .map(writes ->
                        RowChange.of(writes.row().copyBytes(), sequence(), writes.firstStamp(), writes.lastStamp()))
                .toList();
    }
}
