package org.diffindex.server;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
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
    }

    private final Map<ImmutableBytesWritable, RowWrites> rows = new LinkedHashMap<>();
    private final List<byte[]> repeated;
    private final InFlight inFlight;
    private RowLocks.Held locks = () -> {};
    private WALKey walKey;

    /** The writes to do, and the rows of those that were done before and are only acknowledged again. */
    MiniBatch(List<Mutation> mutations, List<byte[]> repeated, InFlight inFlight) {
        for (Mutation mutation : mutations) {
            rows.computeIfAbsent(new ImmutableBytesWritable(mutation.getRow()), row -> new RowWrites())
                    .mutations
                    .add(mutation);
        }
        this.repeated = repeated;
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

    void lockedBy(RowLocks.Held held) {
        locks = held;
    }

    void unlock() {
        locks.release();
    }

    /**
     * Gives each write its stamp, and makes the stamp the timestamp of the cells for which the server was to choose one.
     * The region's locks of the rows must be held.
     */
    void stamp(RowClock clock) throws IOException {
        for (RowWrites writes : rows.values()) {
            for (Mutation mutation : writes.mutations) {
                long stamp = clock.next(mutation.getRow());
                writes.firstStamp = writes.firstStamp == 0 ? stamp : writes.firstStamp;
                writes.lastStamp = stamp;
                if (ServerTime.isChosenByServer(mutation) && newestTimestamp(mutation) <= stamp) {
                    setTimestamps(mutation, stamp);
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

    private static void setTimestamps(Mutation mutation, long stamp) throws IOException {
        for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
            for (Cell cell : cells) {
                PrivateCellUtil.setTimestamp(cell, stamp);
            }
        }
    }

    /**
     * The batch is about to be appended to the WAL under a key, which is given its sequence number then. Stamps that a replay
     * could not tell from the cells go along in the key.
     */
    void logged(WALKey key, WALEdit edit, RegionMaintainers maintainers) {
        walKey = key;
        byte[] stamps = stampsForWal();
        if (stamps != null) {
            key.addExtendedAttribute(WalReplay.STAMPS_ATTRIBUTE, stamps);
            edit.getCells().forEach(cell -> maintainers.raiseHorizon(cell.getTimestamp()));
        }
    }

    /** Whether there was anything to log: a batch may come to nothing. */
    boolean isLogged() {
        return walKey != null;
    }

    /** What happened to each row. Only once the batch is in the WAL. */
    List<RowChange> changes(RegionMaintainers maintainers) {
        long sequence = walKey.getSequenceId();
        List<RowChange> changes = new ArrayList<>(rows.size());
        rows.forEach((row, writes) -> changes.add(changeOf(row.copyBytes(), sequence, writes, maintainers)));
        return changes;
    }

    private RowChange changeOf(byte[] row, long sequence, RowWrites writes, RegionMaintainers maintainers) {
        boolean isPlainPut =
                writes.stampsAreTimestamps && writes.mutations.size() == 1 && writes.mutations.get(0) instanceof Put;
        if (!isPlainPut) {
            return RowChange.of(row, sequence, writes.firstStamp, writes.lastStamp);
        }
        List<Cell> indexed = new ArrayList<>();
        for (List<Cell> cells : writes.mutations.get(0).getFamilyCellMap().values()) {
            for (Cell cell : cells) {
                if (maintainers.concernedBy(cell)) {
                    indexed.removeIf(earlier -> CellUtil.matchingColumn(earlier, cell));
                    indexed.add(KeyValueUtil.copyToNewKeyValue(cell));
                }
            }
        }
        return RowChange.plainPut(row, sequence, writes.firstStamp, indexed);
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
