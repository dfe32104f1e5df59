package org.diffindex.server;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
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
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.PlainPut;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.queue.InFlight;

/**
 * The writes of one HBase mini-batch that concern an index, from {@code preBatchMutate} to {@code
 * postBatchMutateIndispensably}. For use by the one thread that runs the batch.
 */
final class MiniBatch {
    /** One row's writes in the batch, in their order. */
    private static final class RowWrites {
        private final List<Mutation> mutations = new ArrayList<>(1);
        private long firstStamp;
        private long lastStamp;
        private boolean stampsAreTimestamps = true;

        /** Null until it is asked for, and if the writes are something else. */
        private PlainPut plainPut;
    }

    private final Map<ImmutableBytesWritable, RowWrites> rows = new LinkedHashMap<>();
    private final List<byte[]> repeated;
    private final Predicate<Mutation> expires;
    private final InFlight inFlight;
    private RowLocks.Held locks = () -> {};
    private MiniBatchOperationInProgress<Mutation> operations;
    private WALKey walKey;
    private EarlyInserts earlyInserts;

    /**
     * A batch of writes.
     *
     * @param repeated the rows of writes that were done before and are only acknowledged again
     * @param expires holds of the mutations whose cells must have their stamp as timestamp, since index entries expire by it
     */
    MiniBatch(List<Mutation> mutations, List<byte[]> repeated, Predicate<Mutation> expires, InFlight inFlight) {
        for (Mutation mutation : mutations) {
            rows.computeIfAbsent(new ImmutableBytesWritable(mutation.getRow()), row -> new RowWrites())
                    .mutations
                    .add(mutation);
        }
        this.repeated = repeated;
        this.expires = expires;
        this.inFlight = inFlight;
    }

    List<byte[]> repeated() {
        return repeated;
    }

    InFlight inFlight() {
        return inFlight;
    }

    Set<ImmutableBytesWritable> rows() {
        return rows.keySet();
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

    void unlock() {
        locks.release();
    }

    /**
     * Gives each write its stamp, and makes the stamp the timestamp of the cells for which the server was to choose one.
     * The region's locks of the rows must be held.
     *
     * @throws DoNotRetryIOException if that cannot be, and must be since the index entry expires; the batch is to be refused
     */
    void stamp(RowClock clock) throws DoNotRetryIOException {
        for (RowWrites writes : rows.values()) {
            for (Mutation mutation : writes.mutations) {
                long stamp = clock.next(mutation.getRow());
                writes.firstStamp = writes.firstStamp == 0 ? stamp : writes.firstStamp;
                writes.lastStamp = stamp;
                if (ServerTime.isChosenByServer(mutation) && newestTimestamp(mutation) <= stamp) {
                    setTimestamps(mutation, stamp);
                } else if (ServerTime.isChosenByServer(mutation) && expires.test(mutation)) {
                    throw aheadOfTheClock(mutation.getRow());
                } else {
                    writes.stampsAreTimestamps = false;
                }
            }
        }
    }

    /** A checkAndMutate takes the time of the cell that it checked if that is ahead of the clock. */
    private static long newestTimestamp(Mutation mutation) {
        return mutation.getFamilyCellMap().values().stream()
                .flatMap(List::stream)
                .mapToLong(Cell::getTimestamp)
                .max()
                .orElse(0);
    }

    private static void setTimestamps(Mutation mutation, long stamp) {
        for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
            for (Cell cell : cells) {
                setTimestamp(cell, stamp);
            }
        }
    }

    private static void setTimestamp(Cell cell, long stamp) {
        try {
            PrivateCellUtil.setTimestamp(cell, stamp);
        } catch (IOException e) {
            throw new UncheckedIOException("Every cell of a write lets its timestamp be set", e);
        }
    }

    /**
     * The batch is about to be appended to the WAL under a key, which is given its sequence number then. Stamps that a replay
     * could not tell from the cells go along in the key.
     *
     * @throws DoNotRetryIOException as {@link #stamp}
     */
    void logged(WALKey key, WALEdit edit, RegionMaintainers maintainers) throws DoNotRetryIOException {
        stampDeltas(edit, maintainers);
        walKey = key;
        byte[] stamps = stampsForWal();
        if (stamps != null) {
            key.addExtendedAttribute(WalReplay.STAMPS_ATTRIBUTE, stamps);
            edit.getCells().forEach(cell -> maintainers.raiseHorizon(cell.getTimestamp()));
        }
    }

    /**
     * Where entries expire: what increments and appends of indexed columns came to, to which HBase gave the time of the batch
     * or one just behind the cell's before it, gets the last stamp of its row.
     */
    private void stampDeltas(WALEdit edit, RegionMaintainers maintainers) throws DoNotRetryIOException {
        Map<ImmutableBytesWritable, RowWrites> deltas = new HashMap<>();
        Set<Cell> stamped = Collections.newSetFromMap(new IdentityHashMap<>());
        rows.forEach((row, writes) -> {
            if (writes.mutations.stream().anyMatch(mutation -> isDelta(mutation) && expires.test(mutation))) {
                deltas.put(row, writes);
                writes.mutations.stream()
                        .filter(mutation -> !isDelta(mutation))
                        .forEach(
                                mutation -> mutation.getFamilyCellMap().values().forEach(stamped::addAll));
            }
        });
        if (deltas.isEmpty()) {
            return;
        }
        for (Cell cell : edit.getCells()) {
            RowWrites writes = deltas.get(new ImmutableBytesWritable(CellUtil.cloneRow(cell)));
            if (writes != null && !stamped.contains(cell) && maintainers.concernedBy(cell)) {
                if (cell.getTimestamp() > writes.lastStamp) {
                    throw aheadOfTheClock(CellUtil.cloneRow(cell));
                }
                setTimestamp(cell, writes.lastStamp);
            }
        }
    }

    static boolean isDelta(Mutation mutation) {
        return mutation instanceof Increment || mutation instanceof Append;
    }

    private static DoNotRetryIOException aheadOfTheClock(byte[] row) {
        return new DoNotRetryIOException("Write refused, nothing was written: it continues or checks a cell whose"
                + " timestamp is ahead of the server's clock, and would not expire together with its index entry; put or"
                + " delete the column instead, or wait until that time [row=" + Bytes.toStringBinary(row) + "]");
    }

    /**
     * The entries that are put into sync-insert indexes, if the puts of this batch tell all of them. Only once the batch has
     * its stamps.
     */
    Optional<List<IndexUpdate>> insertsToldByPuts(RegionMaintainers maintainers) {
        List<IndexUpdate> inserts = new ArrayList<>();
        for (Map.Entry<ImmutableBytesWritable, RowWrites> row : rows.entrySet()) {
            Optional<PlainPut> put = plainPut(row.getKey().copyBytes(), row.getValue(), maintainers);
            Optional<List<IndexUpdate>> told = put.flatMap(maintainers::insertsToldBy);
            if (told.isEmpty()) {
                return Optional.empty();
            }
            inserts.addAll(told.get());
        }
        return Optional.of(inserts);
    }

    /** The entries of the sync-insert indexes are on their way. */
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
            rows.forEach(
                    (row, writes) -> uncertain.add(new ImmutableBytesWritable(row.copyBytes()), writes.firstStamp));
        }
    }

    /** The sequence number of all writes of the batch. Only once it is in the WAL. */
    long sequence() {
        return walKey.getSequenceId();
    }

    /** The cells of the deletes. */
    Stream<Cell> tombstones() {
        return rows.values().stream()
                .flatMap(writes -> writes.mutations.stream())
                .filter(mutation -> mutation instanceof Delete)
                .flatMap(delete -> delete.getFamilyCellMap().values().stream())
                .flatMap(List::stream);
    }

    /** What happened to each row. Only once the batch is in the WAL. */
    List<RowChange> changes(RegionMaintainers maintainers) {
        List<RowChange> changes = new ArrayList<>(rows.size());
        rows.forEach((row, writes) -> changes.add(changeOf(row.copyBytes(), sequence(), writes, maintainers)));
        return changes;
    }

    private static RowChange changeOf(byte[] row, long sequence, RowWrites writes, RegionMaintainers maintainers) {
        return plainPut(row, writes, maintainers)
                .map(put -> put.appliedAt(sequence))
                .orElseGet(() -> RowChange.of(row, sequence, writes.firstStamp, writes.lastStamp));
    }

    private static Optional<PlainPut> plainPut(byte[] row, RowWrites writes, RegionMaintainers maintainers) {
        boolean isPlainPut =
                writes.stampsAreTimestamps && writes.mutations.size() == 1 && writes.mutations.get(0) instanceof Put;
        if (isPlainPut && writes.plainPut == null) {
            writes.plainPut = new PlainPut(row, writes.firstStamp, indexedCells(writes.mutations.get(0), maintainers));
        }
        return Optional.ofNullable(writes.plainPut);
    }

    private static List<Cell> indexedCells(Mutation put, RegionMaintainers maintainers) {
        List<Cell> indexed = new ArrayList<>();
        for (List<Cell> cells : put.getFamilyCellMap().values()) {
            for (Cell cell : cells) {
                if (maintainers.concernedBy(cell)) {
                    indexed.removeIf(earlier -> CellUtil.matchingColumn(earlier, cell));
                    indexed.add(KeyValueUtil.copyToNewKeyValue(cell));
                }
            }
        }
        return indexed;
    }

    /**
     * The stamps that cannot be told from the cells' timestamps, for the WAL; null if there are none. For each row: length
     * of the row key (4 bytes), row key, first stamp, last stamp (8 bytes each), big-endian.
     */
    private byte[] stampsForWal() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        rows.forEach((row, writes) -> {
            if (!writes.stampsAreTimestamps) {
                try {
                    out.writeInt(row.getLength());
                    out.write(row.get(), row.getOffset(), row.getLength());
                    out.writeLong(writes.firstStamp);
                    out.writeLong(writes.lastStamp);
                } catch (IOException e) {
                    throw new UncheckedIOException("A byte array cannot fail", e);
                }
            }
        });
        return bytes.size() == 0 ? null : bytes.toByteArray();
    }
}
