package org.diffindex.server.maintain;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.diffindex.model.IndexedColumn;

/**
 * Picks, out of a raw scan of one row, the cells of some columns that were visible when the write of a sequence number,
 * and none later, had been applied.
 *
 * <p>What came later is passed over, tombstones too. Of the rest HBase's classic rule decides: a tombstone hides what is
 * at or before its timestamp, whichever was written first, and the newest put that none hides is visible; of puts with
 * one timestamp, the last written. A raw scan brings the cells in the order that this needs: family tombstones first;
 * then column by column, newest timestamp first, at one timestamp tombstones before puts, and then the last written first.
 *
 * <p>Of cells that agree in all but their sequence number HBase shows a filter only the last written. If that one came
 * later, the one that was visible is out of sight; only clients make such cells, by giving timestamps, so that nothing
 * beyond the horizon is in doubt. Then {@link #isAmbiguous} says so.
 *
 * <p>For one scan of one row; not safe for use by many threads.
 */
final class AsOfFilter extends FilterBase {
    private final long sequence;
    private final long horizon;
    private final List<IndexedColumn> columns;

    private Cell familySeen;
    private final Tombstones ofFamily = new Tombstones();
    private Cell columnSeen;
    private final Tombstones ofColumn = new Tombstones();
    private boolean found;
    private boolean ambiguous;

    /**
     * A filter for one scan.
     *
     * @param horizon the newest timestamp that a client gave to a cell of the region
     */
    AsOfFilter(long sequence, long horizon, List<IndexedColumn> columns) {
        this.sequence = sequence;
        this.horizon = horizon;
        this.columns = columns;
    }

    /** The tombstones of a family, or of a column: those that hide all until a time, and those that hide one version. */
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

    /** The sequence number that HBase gave to the write of a cell; 0 if it has forgotten it, being old. */
    static long sequenceOf(Cell cell) {
        return cell instanceof ExtendedCell extended ? extended.getSequenceId() : 0;
    }

    /** Whether, after the scan, what it returned may be wrong. */
    boolean isAmbiguous() {
        return ambiguous;
    }

    @Override
    public ReturnCode filterCell(Cell cell) {
        if (sequenceOf(cell) > sequence) {
            ambiguous |= cell.getTimestamp() <= horizon;
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
        // Behind a put with an empty qualifier there may be older tombstones of the family.
        boolean mayLeave = cell.getQualifierLength() > 0;
        if (!isAskedFor(cell)) {
            return mayLeave ? ReturnCode.NEXT_COL : ReturnCode.SKIP;
        }
        if (found || ofFamily.hide(cell.getTimestamp()) || ofColumn.hide(cell.getTimestamp())) {
            return ReturnCode.SKIP;
        }
        found = true;
        return mayLeave ? ReturnCode.INCLUDE_AND_NEXT_COL : ReturnCode.INCLUDE;
    }

    private boolean isAskedFor(Cell cell) {
        for (IndexedColumn column : columns) {
            if (column.matches(cell)) {
                return true;
            }
        }
        return false;
    }
}
