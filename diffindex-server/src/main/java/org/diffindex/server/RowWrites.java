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
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexSet;
import org.diffindex.server.maintain.PlainPut;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.maintain.RowClock;

/**
 * One row's writes in a mini-batch, in their order, with their stamps: those that concern an index, and the others of
 * the row. Confined to the thread that runs the batch.
 *
 * <p>The writes share one stamp, or two consecutive ones if there are several writes and at least one is a delete to
 * which the client gave no time: a put that such an earlier delete would hide gets the second stamp, all others the
 * first.
 */
final class RowWrites {
    private final ImmutableBytesWritable row;
    private final List<Mutation> mutations = new ArrayList<>(1);

    /** Null until assigned. */
    private RowClock.Stamp stamps;

    /** The timestamp of the writes whose time the server chooses; the first if there are two. */
    private long time;

    private boolean stampsAreTimestamps;
    private boolean otherResults;

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

    /** Records that other coprocessors may have changed cells since they were stamped. */
    void timestampsAreGiven() {
        stampsAreTimestamps = false;
    }

    /**
     * Requires that the indexed cells of a write whose time the server chooses have a stamp as their timestamp.
     *
     * @throws DoNotRetryIOException if one does not, because another coprocessor has changed it; the write must be
     *     refused
     */
    void requireStampedCells(Mutation write, RegionMaintainers maintainers) throws DoNotRetryIOException {
        for (Cell cell : ServerTime.isChosenByServer(write) ? cellsOf(write) : List.<Cell>of()) {
            boolean isStamped = cell.getTimestamp() == firstStamp() || cell.getTimestamp() == lastStamp();
            if (!isStamped && maintainers.concernedBy(cell)) {
                throw new DoNotRetryIOException("Write refused, nothing was written: another coprocessor has given an"
                        + " indexed column a timestamp of its own, by which it would not expire together with its index"
                        + " entry; let that coprocessor change the write in prePut or preDelete, without a timestamp"
                        + " [row=" + Bytes.toStringBinary(row.copyBytes()) + "]");
            }
        }
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
        boolean deletes = mutations.stream().anyMatch(ServerTime::deletes);
        Set<Column> deleted = deletes && mutations.size() > 1 ? deletedColumns() : Set.of();
        stamps = clock.next(row, deleted.isEmpty() ? 1 : 2);
        clock.announce(row, stamps, deletes && deleted.isEmpty());
        boolean isStamp = stamps.isTimestamp() || mutations.stream().anyMatch(expires);
        setTimestamps(isStamp ? stamps.first() : earliest(times), deleted, expires);
    }

    /**
     * Assigns the cells whose time the server chooses a timestamp in the order of the row, if the writes concern no
     * index. They take no stamp.
     *
     * @throws RegionTooBusyException if the row is deleted and put too often
     */
    void date(RowClock clock, Times times) throws IOException {
        boolean deletes = mutations.stream().anyMatch(ServerTime::deletes);
        boolean puts = mutations.stream()
                .flatMap(each -> ServerTime.cells(each).stream())
                .anyMatch(CellUtil::isPut);
        Set<Column> deleted = deletes && mutations.size() > 1 ? deletedColumns() : Set.of();
        stamps = clock.timeAfter(row, deleted.isEmpty() ? 1 : 2, puts, deletes);
        setTimestamps(stamps.isTimestamp() ? stamps.first() : earliest(times), deleted, any -> false);
    }

    /** Returns the earliest time at which nothing hides the writes, nor the results of increments and appends. */
    private long earliest(Times times) throws IOException {
        long visible = times.earliest(row.copyBytes(), families(), stamps.clock(), stamps.first());
        return hasDeltas() ? Math.min(stamps.first(), visible + 1) : visible;
    }

    private void setTimestamps(long first, Set<Column> deleted, Predicate<Mutation> expires) throws IOException {
        time = first;
        stampsAreTimestamps = time == stamps.first() && deleted.isEmpty();
        Set<Column> deletedLater = new HashSet<>();
        for (int i = mutations.size() - 1; i >= 0; i--) {
            Mutation mutation = mutations.get(i);
            List<Cell> cells = ServerTime.cells(mutation);
            // Of any other mutation HBase filled in an earlier reading of the clock, which may have jumped back since.
            boolean isAhead = ServerTime.mayBeOfACell(mutation) && newestTimestamp(cells) > time;
            if (isAhead && expires.test(mutation)) {
                throw aheadOfTheClock(row.copyBytes(), newestTimestamp(cells) - stamps.clock());
            }
            if (!isAhead) {
                setTimestamps(cells, deleted, deletedLater);
            }
            ServerTime.tombstones(mutation).forEach(cell -> deletedLater.add(Column.deletedBy(cell)));
            stampsAreTimestamps &= !isAhead && ServerTime.isChosenByServer(mutation);
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
            boolean isOfFamily =
                    switch (tombstone.getType()) {
                        case DeleteFamily, DeleteFamilyVersion -> true;
                        default -> false;
                    };
            return new Column(family(tombstone), isOfFamily ? null : qualifier(tombstone));
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

    /** Returns the columns that are deleted, whole or in one version, by deletes to which the client gave no time. */
    private Set<Column> deletedColumns() {
        Set<Column> deleted = new HashSet<>();
        for (Mutation mutation : mutations) {
            ServerTime.tombstones(mutation).forEach(cell -> deleted.add(Column.deletedBy(cell)));
        }
        return deleted;
    }

    private void setTimestamps(List<Cell> cells, Set<Column> deleted, Set<Column> deletedLater) {
        for (Cell cell : cells) {
            boolean afterDelete =
                    CellUtil.isPut(cell) && Column.isIn(deleted, cell) && !Column.isIn(deletedLater, cell);
            setTimestamp(cell, afterDelete ? time + 1 : time);
        }
    }

    static List<Cell> cellsOf(Mutation mutation) {
        return mutation.getFamilyCellMap().values().stream()
                .flatMap(List::stream)
                .toList();
    }

    private static long newestTimestamp(List<Cell> cells) {
        return cells.stream().mapToLong(Cell::getTimestamp).max().orElse(0);
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

    /** Returns whether a cell of the row may be the result of an increment or append. */
    boolean mayBeResult(Cell cell) {
        byte[] family = CellUtil.cloneFamily(cell);
        byte[] qualifier = CellUtil.cloneQualifier(cell);
        return mutations.stream().anyMatch(each -> isDelta(each) && each.has(family, qualifier));
    }

    static boolean isDelta(Mutation mutation) {
        return mutation instanceof Increment || mutation instanceof Append;
    }

    /**
     * Returns the refusal of a write that checks a cell with a future timestamp. A cell slightly ahead of the clock may
     * be one that another server dated.
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
                        .concerning(concerned(maintainers))
                : put.appliedAt(sequence);
    }

    /** Records that another coprocessor may have replaced a result by cells of columns that no write names. */
    void hasOtherResults() {
        otherResults = true;
    }

    /** Returns the indexes that the writes concern; all if the columns that they changed are not known. */
    private IndexSet concerned(RegionMaintainers maintainers) {
        return otherResults
                ? IndexSet.all()
                : maintainers.concernedBy(mutations.stream()
                        .flatMap(write -> cellsOf(write).stream())
                        .toList());
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
