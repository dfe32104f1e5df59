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
import org.apache.hadoop.hbase.RegionTooBusyException;
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
 * One row's writes in a mini-batch, in their order, with their stamps. Confined to the thread that runs the batch.
 *
 * <p>The writes share one stamp, or two consecutive ones if there are several writes and at least one is a delete
 * whose time the server chooses: a put that such an earlier delete would hide gets the second stamp, all others
 * the first.
 */
final class RowWrites {
    private final ImmutableBytesWritable row;
    private final List<Mutation> mutations = new ArrayList<>(1);

    /** Null until assigned. */
    private RowClock.Stamp stamps;

    /** The timestamp of the writes whose time the server chooses; the first if there are two. */
    private long time;

    private boolean stampsAreTimestamps;

    /** Computed on first use; null if the writes are not a plain put. */
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

    /** Keeps only the given writes; returns whether any is left. */
    boolean keepOnly(Set<Mutation> written) {
        mutations.retainAll(written);
        return !mutations.isEmpty();
    }

    ImmutableBytesWritable row() {
        return row;
    }

    /** Returns whether the timestamps of the cells are the stamps. */
    boolean areStampsTimestamps() {
        return stampsAreTimestamps;
    }

    long firstStamp() {
        return stamps.first();
    }

    long lastStamp() {
        return stamps.last();
    }

    /** Returns the timestamp that the server chooses. */
    long time() {
        return time;
    }

    /** Returns the latest timestamp that the server chooses for any cell. */
    long latestTime() {
        return time + stamps.last() - stamps.first();
    }

    /** Determines the earliest time at which no earlier write hides a put of a row. */
    @FunctionalInterface
    interface Times {
        /**
         * Returns a time that is not before the clock and not after the stamp.
         *
         * @param families the families that are written
         */
        long earliest(byte[] row, Set<byte[]> families, long clock, long stamp) throws IOException;
    }

    /**
     * Acquires stamps, and assigns the cells whose time the server chooses their timestamp: the stamp, if it can be a
     * timestamp or must be because the index entry expires by it; else a time determined for this row alone.
     *
     * @throws RegionTooBusyException if the row is written too often, or if the timestamp must be the stamp and is
     *     ahead of the clock by a second at most
     * @throws DoNotRetryIOException if the timestamp must be the stamp and is further ahead
     */
    void stamp(RowClock clock, Times times, Predicate<Mutation> expires) throws IOException {
        Set<Column> deleted = mutations.size() == 1 ? Set.of() : deletedColumns();
        stamps = clock.next(row, deleted.isEmpty() ? 1 : 2);
        boolean isStamp = stamps.isTimestamp() || mutations.stream().anyMatch(expires);
        time = isStamp ? stamps.first() : times.earliest(row.copyBytes(), families(), stamps.clock(), stamps.first());
        stampsAreTimestamps = time == stamps.first() && deleted.isEmpty();
        Set<Column> deletedLater = new HashSet<>();
        for (int i = mutations.size() - 1; i >= 0; i--) {
            Mutation mutation = mutations.get(i);
            if (ServerTime.isChosenByServer(mutation) && !isAhead(mutation)) {
                setTimestamps(mutation, deleted, deletedLater);
            } else if (ServerTime.isChosenByServer(mutation) && expires.test(mutation)) {
                throw aheadOfTheClock(row.copyBytes(), newestTimestamp(mutation) - stamps.clock());
            } else {
                stampsAreTimestamps = false;
            }
        }
    }

    /** Records the stamps as the row's last ones, since the writes have ended. The row must be locked. Idempotent. */
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

    /** A column, or a whole family if the qualifier is null. */
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

    /** Returns the columns that are deleted by deletes whose time the server chooses. */
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

    /**
     * Returns whether a mutation has a cell later than the chosen time that may be the time of an existing cell. For
     * any other mutation HBase filled in an earlier reading of the clock, which may have jumped back since.
     */
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

    /**
     * Returns the refusal of a write that checks a cell with a future timestamp. A cell slightly ahead of the clock is
     * usually not a client's: HBase dates each increment and append of a cell later than the previous one.
     */
    private static IOException aheadOfTheClock(byte[] row, long aheadMs) {
        return aheadMs > RowClock.MOST_AHEAD_MS
                ? aheadOfTheClock(row)
                : new RegionTooBusyException("The write checks a cell whose timestamp is " + aheadMs
                        + " ms ahead of the server's clock, and would not expire together with its index entry; nothing was"
                        + " written, try again then [row=" + Bytes.toStringBinary(row) + "]");
    }

    static DoNotRetryIOException aheadOfTheClock(byte[] row) {
        return new DoNotRetryIOException("Write refused, nothing was written: it continues or checks a cell whose"
                + " timestamp is ahead of the server's clock, and would not expire together with its index entry; put or"
                + " delete the column instead, or wait until that time [row=" + Bytes.toStringBinary(row) + "]");
    }

    /** Returns the change of the row at a log sequence number. */
    RowChange appliedAt(long sequence, RegionMaintainers maintainers) {
        PlainPut put = plainPut(maintainers);
        return put == null
                ? RowChange.of(row.copyBytes(), sequence, firstStamp(), lastStamp())
                : put.appliedAt(sequence);
    }

    /** Returns the only write if it is a put whose timestamp is its stamp; else null. */
    PlainPut plainPut(RegionMaintainers maintainers) {
        boolean isPlainPut = stampsAreTimestamps && mutations.size() == 1 && mutations.get(0) instanceof Put;
        if (isPlainPut && plainPut == null) {
            List<Cell> cells = indexedCells(mutations.get(0), maintainers);
            plainPut = cells == null ? null : new PlainPut(row.copyBytes(), firstStamp(), cells);
        }
        return plainPut;
    }

    /** Returns the put's indexed cells; null if one of them is a tombstone, which HBase allows in a put. */
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
