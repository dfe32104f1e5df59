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
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RegionRowReader;
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
    private final InFlight inFlight;
    private RowLocks.Held locks = () -> {};
    private long sequence;

    MiniBatch(List<Mutation> mutations, InFlight inFlight) {
        for (Mutation mutation : mutations) {
            rows.computeIfAbsent(new ImmutableBytesWritable(mutation.getRow()), row -> new RowWrites())
                    .mutations
                    .add(mutation);
        }
        this.inFlight = inFlight;
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
    void stamp(RowClock clock, RegionMaintainers maintainers) throws IOException {
        for (RowWrites writes : rows.values()) {
            for (Mutation mutation : writes.mutations) {
                long stamp = clock.next(mutation.getRow());
                writes.firstStamp = writes.firstStamp == 0 ? stamp : writes.firstStamp;
                writes.lastStamp = stamp;
                if (ServerTime.isChosenByServer(mutation) && newestTimestamp(mutation) <= stamp) {
                    setTimestamps(mutation, stamp);
                } else {
                    writes.stampsAreTimestamps = false;
                    raiseHorizon(mutation, maintainers);
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

    private static void raiseHorizon(Mutation mutation, RegionMaintainers maintainers) {
        if (!isDelta(mutation)) {
            for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
                cells.forEach(cell -> maintainers.raiseHorizon(cell.getTimestamp()));
            }
        }
    }

    private static boolean isDelta(Mutation mutation) {
        return mutation instanceof Increment || mutation instanceof Append;
    }

    /** Rows with an increment or append, whose cells HBase made out of sight. */
    List<byte[]> rowsWithDeltas() {
        List<byte[]> found = new ArrayList<>();
        rows.forEach((row, writes) -> {
            if (writes.mutations.stream().anyMatch(MiniBatch::isDelta)) {
                found.add(row.copyBytes());
            }
        });
        return found;
    }

    /** The sequence number that HBase gave to the puts and deletes of the batch; 0 if it has none. */
    long sequenceOfCells() {
        return rows.values().stream()
                .flatMap(writes -> writes.mutations.stream())
                .filter(mutation -> !isDelta(mutation))
                .flatMap(mutation -> mutation.getFamilyCellMap().values().stream())
                .flatMap(List::stream)
                .mapToLong(RegionRowReader::sequenceOf)
                .max()
                .orElse(0);
    }

    /** The batch is in the memstore under that sequence number. */
    void applied(long sequenceNumber) {
        sequence = sequenceNumber;
    }

    boolean isApplied() {
        return sequence != 0;
    }

    /** What happened to each row. Only after {@link #applied}. */
    Map<ImmutableBytesWritable, RowChange> changes(RegionMaintainers maintainers) {
        if (sequence == 0) {
            throw new IllegalStateException("The batch has no sequence number");
        }
        Map<ImmutableBytesWritable, RowChange> changes = new LinkedHashMap<>();
        rows.forEach((row, writes) -> changes.put(row, changeOf(row.copyBytes(), writes, maintainers)));
        return changes;
    }

    private RowChange changeOf(byte[] row, RowWrites writes, RegionMaintainers maintainers) {
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
    byte[] stampsForWal() {
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
