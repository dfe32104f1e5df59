package org.diffindex.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
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
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.maintain.PlainPut;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.maintain.RowClock;

/**
 * One row's writes in a mini-batch, in their order, with their stamps.
 *
 * <p>All of them have one stamp, however many they are. Only where a put follows a delete that would hide it there are two,
 * one behind the other: the deletes get the first, and so do the puts that a later delete hides again.
 */
final class RowWrites {
    private final ImmutableBytesWritable row;
    private final List<Mutation> mutations = new ArrayList<>(1);

    /** Null until they are given. */
    private RowClock.Stamp stamps;

    /** The timestamp of those writes for which the server chooses it, or the first of two. */
    private long time;

    private boolean stampsAreTimestamps;

    /** Null until it is asked for, and if the writes are something else. */
    private PlainPut plainPut;

    RowWrites(ImmutableBytesWritable row) {
        this.row = row;
    }

    void add(Mutation mutation) {
        mutations.add(mutation);
    }

    List<Mutation> mutations() {
        return mutations;
    }

    /** Leaves out all writes but some; whether there is one left. */
    boolean keepOnly(Set<Mutation> written) {
        mutations.retainAll(written);
        return !mutations.isEmpty();
    }

    ImmutableBytesWritable row() {
        return row;
    }

    /** Whether each stamp can be told from the cells. */
    boolean areStampsTimestamps() {
        return stampsAreTimestamps;
    }

    long firstStamp() {
        return stamps.first();
    }

    long lastStamp() {
        return stamps.last();
    }

    /** The timestamp that the server chooses. */
    long time() {
        return time;
    }

    /** The latest timestamp that the server chooses for any cell. */
    long latestTime() {
        return time + stamps.last() - stamps.first();
    }

    /** Tells the earliest time at which a put of a row is hidden by nothing that was written before. */
    @FunctionalInterface
    interface Times {
        /**
         * Returns a time that is not before the clock and not after the stamp.
         *
         * @param families those that are written
         */
        long earliest(byte[] row, Set<byte[]> families, long clock, long stamp) throws IOException;
    }

    /**
     * Takes stamps, and gives the cells for which the server is to choose the time theirs: the stamp, if it may be a
     * timestamp, or must be since the index entry expires by it; else one that is due to this row alone.
     *
     * @throws DoNotRetryIOException if the timestamp must be the stamp and cannot be
     */
    void stamp(RowClock clock, Times times, Predicate<Mutation> expires) throws IOException {
        Set<Column> deleted = mutations.size() == 1 ? Set.of() : deletedColumns();
        stamps = clock.next(row, deleted.isEmpty() ? 1 : 2, timeOfCheckedCells(expires));
        boolean isStamp = stamps.isTimestamp() || mutations.stream().anyMatch(expires);
        time = isStamp ? stamps.first() : times.earliest(row.copyBytes(), families(), stamps.clock(), stamps.first());
        stampsAreTimestamps = time == stamps.first() && deleted.isEmpty();
        Set<Column> deletedLater = new HashSet<>();
        for (int i = mutations.size() - 1; i >= 0; i--) {
            Mutation mutation = mutations.get(i);
            if (ServerTime.isChosenByServer(mutation) && !isAhead(mutation)) {
                setTimestamps(mutation, deleted, deletedLater);
            } else if (ServerTime.isChosenByServer(mutation) && expires.test(mutation)) {
                throw aheadOfTheClock(row.copyBytes());
            } else {
                stampsAreTimestamps = false;
            }
        }
    }

    /**
     * The latest time that a checkAndMutate has of the cell that it checks and whose index entry expires; 0 if there is none. An
     * increment or append gives a cell a time later than the one before it, so also one just ahead of the clock.
     */
    private long timeOfCheckedCells(Predicate<Mutation> expires) {
        return mutations.stream()
                .filter(mutation -> ServerTime.mayBeOfACell(mutation) && expires.test(mutation))
                .mapToLong(RowWrites::newestTimestamp)
                .max()
                .orElse(0);
    }

    /** The writes are over: their stamps are the row's last ones. While the row is locked; once more does nothing. */
    void passed(RowClock clock) {
        if (stamps != null) {
            clock.passed(row, stamps);
        }
    }

    private Set<byte[]> families() {
        Set<byte[]> families = new TreeSet<>(Bytes.BYTES_COMPARATOR);
        mutations.forEach(
                mutation -> families.addAll(mutation.getFamilyCellMap().keySet()));
        return families;
    }

    /** A column, or with no qualifier all of a family. */
    private record Column(ByteBuffer family, ByteBuffer qualifier) {
        static Column deletedBy(Cell tombstone) {
            return new Column(
                    family(tombstone), tombstone.getType() == Cell.Type.DeleteFamily ? null : qualifier(tombstone));
        }

        static boolean isIn(Set<Column> deleted, Cell cell) {
            return !deleted.isEmpty()
                    && (deleted.contains(new Column(family(cell), null))
                            || deleted.contains(new Column(family(cell), qualifier(cell))));
        }

        private static ByteBuffer family(Cell cell) {
            return ByteBuffer.wrap(cell.getFamilyArray(), cell.getFamilyOffset(), cell.getFamilyLength());
        }

        private static ByteBuffer qualifier(Cell cell) {
            return ByteBuffer.wrap(cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength());
        }
    }

    /** What the deletes delete to which the server gives the time. */
    private Set<Column> deletedColumns() {
        Set<Column> deleted = new HashSet<>();
        for (Mutation mutation : mutations) {
            if (mutation instanceof Delete && ServerTime.isChosenByServer(mutation)) {
                cellsOf(mutation).forEach(cell -> deleted.add(Column.deletedBy(cell)));
            }
        }
        return deleted;
    }

    private void setTimestamps(Mutation mutation, Set<Column> deleted, Set<Column> deletedLater) {
        for (Cell cell : cellsOf(mutation)) {
            if (mutation instanceof Delete) {
                deletedLater.add(Column.deletedBy(cell));
            }
            boolean afterDelete =
                    mutation instanceof Put && Column.isIn(deleted, cell) && !Column.isIn(deletedLater, cell);
            setTimestamp(cell, afterDelete ? time + 1 : time);
        }
    }

    static List<Cell> cellsOf(Mutation mutation) {
        return mutation.getFamilyCellMap().values().stream()
                .flatMap(List::stream)
                .toList();
    }

    /** Of another write, what HBase filled in is an earlier reading of the clock, which may have jumped back since. */
    private boolean isAhead(Mutation mutation) {
        return ServerTime.mayBeOfACell(mutation) && newestTimestamp(mutation) > time;
    }

    private static long newestTimestamp(Mutation mutation) {
        long newest = 0;
        for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
            for (Cell cell : cells) {
                newest = Math.max(newest, cell.getTimestamp());
            }
        }
        return newest;
    }

    static void setTimestamp(Cell cell, long time) {
        try {
            PrivateCellUtil.setTimestamp(cell, time);
        } catch (IOException e) {
            throw new UncheckedIOException("Every cell of a write lets its timestamp be set", e);
        }
    }

    boolean hasDeltas() {
        return mutations.stream().anyMatch(RowWrites::isDelta);
    }

    static boolean isDelta(Mutation mutation) {
        return mutation instanceof Increment || mutation instanceof Append;
    }

    static DoNotRetryIOException aheadOfTheClock(byte[] row) {
        return new DoNotRetryIOException("Write refused, nothing was written: it continues or checks a cell whose"
                + " timestamp is ahead of the server's clock, and would not expire together with its index entry; put or"
                + " delete the column instead, or wait until that time [row=" + Bytes.toStringBinary(row) + "]");
    }

    /** What happened to the row under a sequence number. */
    RowChange appliedAt(long sequence, RegionMaintainers maintainers) {
        PlainPut put = plainPut(maintainers);
        return put == null
                ? RowChange.of(row.copyBytes(), sequence, firstStamp(), lastStamp())
                : put.appliedAt(sequence);
    }

    /** The one put to which the server gave the stamp as its time; null if the writes are something else. */
    PlainPut plainPut(RegionMaintainers maintainers) {
        boolean isPlainPut = stampsAreTimestamps && mutations.size() == 1 && mutations.get(0) instanceof Put;
        if (isPlainPut && plainPut == null) {
            List<Cell> cells = indexedCells(mutations.get(0), maintainers);
            plainPut = cells == null ? null : new PlainPut(row.copyBytes(), firstStamp(), cells);
        }
        return plainPut;
    }

    /** Null if one of them is a tombstone, as HBase lets a put hold. */
    private static List<Cell> indexedCells(Mutation put, RegionMaintainers maintainers) {
        List<Cell> indexed = new ArrayList<>();
        for (List<Cell> cells : put.getFamilyCellMap().values()) {
            for (Cell cell : cells) {
                if (maintainers.concernedBy(cell)) {
                    if (!CellUtil.isPut(cell)) {
                        return null;
                    }
                    indexed.removeIf(earlier -> CellUtil.matchingColumn(earlier, cell));
                    indexed.add(KeyValueUtil.copyToNewKeyValue(cell));
                }
            }
        }
        return indexed;
    }
}
