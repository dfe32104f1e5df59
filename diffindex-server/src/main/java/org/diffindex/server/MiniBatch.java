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
 * The writes of one HBase mini-batch that concern an index, from {@code preBatchMutate} to {@code
 * postBatchMutateIndispensably}. For use by the one thread that runs the batch.
 */
final class MiniBatch {
    private final Map<ImmutableBytesWritable, RowWrites> rows = new LinkedHashMap<>();
    private final List<byte[]> repeated;
    private final Predicate<Mutation> expires;
    private final PendingBatch pending;
    private RowLocks.Held locks = () -> {};
    private MiniBatchOperationInProgress<Mutation> operations;

    /** Null while it waits for no stamps of this batch to pass. */
    private RowClock clock;

    private WALKey walKey;
    private EarlyInserts earlyInserts;

    /**
     * A batch of writes.
     *
     * @param repeated the rows of writes that were done before and are only acknowledged again
     * @param expires holds of the mutations whose cells must have their stamp as timestamp, since index entries expire by it
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

    /** Whether another batch has a row of this one. */
    boolean hasRowOf(MiniBatch other) {
        return other.rows.keySet().stream().anyMatch(rows::containsKey);
    }

    /** The batch as HBase has it, to which other coprocessors may add writes until it is logged. */
    void isIn(MiniBatchOperationInProgress<Mutation> batch) {
        operations = batch;
    }

    /** The writes that other coprocessors have added, after the hooks for single writes. */
    Stream<Mutation> additions() {
        return IntStream.range(0, operations.size())
                .mapToObj(operations::getOperationsFromCoprocessors)
                .filter(Objects::nonNull)
                .flatMap(Arrays::stream);
    }

    void lockedBy(RowLocks.Held held) {
        locks = held;
    }

    /** The rows' next writes may come, with later stamps; once more does nothing. */
    void unlock() {
        if (clock != null) {
            rows.values().forEach(writes -> writes.passed(clock));
            clock = null;
        }
        locks.release();
    }

    /** Refuses the writes of a row. */
    @FunctionalInterface
    interface Refusal {
        /**
         * Refuses writes.
         *
         * @throws IOException that reason, if it refuses the batch
         */
        void of(List<Mutation> writes, IOException why) throws IOException;
    }

    /**
     * Gives each row its stamps, and the cells for which the server is to choose the time their timestamps. The region's
     * locks of the rows must be held. A row is refused, and no part of this batch any more, if it is written too often, or if
     * the timestamp of a cell must be its stamp, since the index entry expires, and cannot be that.
     *
     * @param times is asked where a stamp cannot be a timestamp
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
    }

    /**
     * The batch is about to be appended to the WAL under a key, which is given its sequence number then. The key tells that
     * the writes have stamps, and those that a replay could not tell from the cells.
     *
     * @throws DoNotRetryIOException if the timestamp of a cell must be its stamp and cannot be; the batch is to be refused
     */
    void logged(WALKey key, WALEdit edit, RegionMaintainers maintainers) throws DoNotRetryIOException {
        stampDeltas(edit, maintainers);
        walKey = key;
        if (!rows.isEmpty()) {
            logStamps(key, edit, maintainers);
        }
    }

    /** Coprocessors behind ours may have refused a part of the batch, which HBase does not write then. Before it is logged. */
    void leaveOutWhatOthersRefused() {
        Set<Mutation> written = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < operations.size(); i++) {
            if (operations.getOperationStatus(i).getOperationStatusCode() == OperationStatusCode.NOT_RUN) {
                written.add(operations.getOperation(i));
            }
        }
        rows.values().removeIf(writes -> {
            boolean isLeftOut = !writes.keepOnly(written);
            if (isLeftOut) {
                writes.passed(clock);
            }
            return isLeftOut;
        });
    }

    private void logStamps(WALKey key, WALEdit edit, RegionMaintainers maintainers) {
        if (!rows.values().stream().allMatch(RowWrites::areStampsTimestamps)) {
            edit.getCells().forEach(cell -> maintainers.raiseHorizon(cell.getTimestamp()));
        }
        WalStamps.of(rows, hasWritesOfNoIndex() ? edit.getCells() : List.of()).addTo(key);
    }

    /** Their timestamps are no stamps, if the replay comes when there is an index that they concern. */
    private boolean hasWritesOfNoIndex() {
        int ours = rows.values().stream()
                .mapToInt(writes -> writes.mutations().size())
                .sum();
        return operations != null
                && (operations.size() > ours || additions().findAny().isPresent());
    }

    /**
     * What increments and appends of indexed columns came to, to which HBase gave the time of the batch or one just behind the
     * cell's before it, gets a time at which no earlier write of the row hides it; where entries expire, its stamp.
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
            if (writes != null && !ofOthers.contains(cell) && maintainers.concernedBy(cell)) {
                stampDelta(cell, writes);
            }
        }
    }

    private void stampDelta(Cell cell, RowWrites writes) throws DoNotRetryIOException {
        boolean isToExpire =
                writes.mutations().stream().anyMatch(each -> RowWrites.isDelta(each) && expires.test(each));
        if (!isToExpire) {
            if (writes.mutations().stream().anyMatch(each -> ServerTime.isGivenToDelta(each, cell))) {
                return; // as HBase does for the first cell of a column
            }
            RowWrites.setTimestamp(cell, Math.max(cell.getTimestamp(), writes.time()));
        } else if (cell.getTimestamp() <= writes.lastStamp()) {
            RowWrites.setTimestamp(cell, writes.lastStamp());
        } else {
            throw RowWrites.aheadOfTheClock(CellUtil.cloneRow(cell));
        }
    }

    /**
     * The entries that may be put before their rows, if the puts of this batch tell all of them. Only once the batch has its
     * stamps.
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

    /** Entries that may precede their rows are on their way. */
    void insertsAreUnderWay(EarlyInserts inserts) {
        earlyInserts = inserts;
    }

    /** The entries that were sent before the rows were logged; empty if none were. */
    Optional<EarlyInserts> earlyInserts() {
        return Optional.ofNullable(earlyInserts);
    }

    /** Whether there was anything to log: a batch may come to nothing. */
    boolean isLogged() {
        return walKey != null;
    }

    /** The batch has failed, and the WAL may have it all the same, if it was sent there. */
    void isUncertainIn(UncertainWrites uncertain) {
        if (isLogged()) {
            rows.forEach((row, writes) -> uncertain.add(
                    new ImmutableBytesWritable(row.copyBytes()), writes.firstStamp(), writes.latestTime()));
        }
    }

    /** The sequence number of all writes of the batch. Only once it is in the WAL. */
    long sequence() {
        return walKey.getSequenceId();
    }

    /** The cells of the deletes, and those that puts hold. */
    Stream<Cell> tombstones() {
        return rows.values().stream()
                .flatMap(writes -> writes.mutations().stream())
                .flatMap(mutation -> mutation.getFamilyCellMap().values().stream())
                .flatMap(List::stream)
                .filter(cell -> !CellUtil.isPut(cell));
    }

    /** What happened to each row. Only once the batch is in the WAL. */
    List<RowChange> changes(RegionMaintainers maintainers) {
        List<RowChange> changes = new ArrayList<>(rows.size());
        rows.values().forEach(writes -> changes.add(writes.appliedAt(sequence(), maintainers)));
        return changes;
    }
}
