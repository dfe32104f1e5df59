package org.diffindex.server.maintain;

import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.filter.FilterBase;

/**
 * Selects, from a raw scan of one row, the cells of some columns that were visible once the write of a sequence number,
 * and none later, had been applied.
 *
 * <p>Later cells are skipped, including tombstones. HBase's classic rule decides about the rest: a tombstone hides
 * cells at or before its timestamp, in whichever order they were written, and the newest put that is not hidden is
 * visible; of several puts with one timestamp, the last written. A raw scan returns cells in the required order: family
 * tombstones first; then column by column, newest timestamp first, at one timestamp tombstones before puts, then last
 * written first.
 *
 * <p>Of cells that differ only in their sequence number, HBase shows a filter only the last written. If that cell is
 * later than the given write, the cell that was visible remains unseen. Only clients create such cells, by setting
 * timestamps, so nothing beyond the horizon is in doubt. In this case {@link #isAmbiguous} returns true.
 *
 * <p>For one scan of one row; not thread-safe.
 */
final class AsOfFilter extends FilterBase {
    private final long sequence;
    private final LongSupplier horizon;
    private final AskedColumns columns;

    private Cell familySeen;
    private final Tombstones ofFamily = new Tombstones();
    private Cell columnSeen;
    private final Tombstones ofColumn = new Tombstones();
    private boolean found;
    private boolean ambiguous;

    /**
     * Creates a filter for one scan.
     *
     * @param horizon supplies an upper bound of the timestamps that clients set on cells of the region; called only
     *     once the scan has met a later cell, since such cells may arrive until the scan begins
     */
    AsOfFilter(long sequence, LongSupplier horizon, AskedColumns columns) {
        this.sequence = sequence;
        this.horizon = horizon;
        this.columns = columns;
    }

    /**
     * The tombstones of a family or of a column: those that hide everything up to a timestamp, and those that hide one
     * version.
     */
    private static final class Tombstones {
        private long until = Long.MIN_VALUE;
        private final Set<Long> versions = new HashSet<>(0);

        boolean hide(long timestamp) {
            return timestamp <= until || versions.contains(timestamp);
        }

        void clear() {
            until = Long.MIN_VALUE;
            versions.clear();
        }
    }

    /**
     * Returns the log sequence number of the write of a cell; 0 if HBase no longer keeps it because the cell is old.
     */
    static long sequenceOf(Cell cell) {
        return cell instanceof ExtendedCell extended ? extended.getSequenceId() : 0;
    }

    /** Returns whether, after the scan, its result may be wrong. */
    boolean isAmbiguous() {
        return ambiguous;
    }

    @Override
    public ReturnCode filterCell(Cell cell) {
        // A cell with an empty qualifier may be a tombstone of the family, or precede one.
        if (cell.getQualifierLength() > 0 && !columns.contain(cell)) {
            return columns.haveOneBehind(cell) ? ReturnCode.SEEK_NEXT_USING_HINT : ReturnCode.NEXT_ROW;
        }
        if (sequenceOf(cell) > sequence) {
            ambiguous |= cell.getTimestamp() <= horizon.getAsLong();
            return ReturnCode.SKIP;
        }
        enter(cell);
        switch (cell.getType()) {
            case DeleteFamily -> ofFamily.until = Math.max(ofFamily.until, cell.getTimestamp());
            case DeleteFamilyVersion -> ofFamily.versions.add(cell.getTimestamp());
            case DeleteColumn -> ofColumn.until = Math.max(ofColumn.until, cell.getTimestamp());
            case Delete -> ofColumn.versions.add(cell.getTimestamp());
            default -> {
                return put(cell);
            }
        }
        return ReturnCode.SKIP;
    }

    private void enter(Cell cell) {
        boolean sameFamily = familySeen != null && CellUtil.matchingFamily(familySeen, cell);
        if (!sameFamily) {
            familySeen = cell;
            ofFamily.clear();
        }
        if (!sameFamily || !CellUtil.matchingQualifier(columnSeen, cell)) {
            columnSeen = cell;
            ofColumn.clear();
            found = false;
        }
    }

    private ReturnCode put(Cell cell) {
        boolean isHidden = found || ofFamily.hide(cell.getTimestamp()) || ofColumn.hide(cell.getTimestamp());
        if (isHidden || !columns.contain(cell)) {
            return ReturnCode.SKIP;
        }
        found = true;
        if (cell.getQualifierLength() == 0) {
            return ReturnCode.INCLUDE; // older tombstones of the family may follow
        }
        return columns.haveOneBehind(cell) ? ReturnCode.INCLUDE_AND_NEXT_COL : ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW;
    }

    @Override
    public Cell getNextCellHint(Cell cell) {
        return columns.firstBehind(cell);
    }
}
