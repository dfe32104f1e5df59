package org.diffindex.server.sim;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;

/**
 * HBase's rules for the cells of a family with one version: which are visible, which a raw scan returns, which are
 * dropped.
 */
final class Versions {
    static final byte[] FAMILY = org.diffindex.server.local.Flights.F;
    private static final CellComparator ORDER = CellComparatorImpl.COMPARATOR;

    private static final Set<ReturnCode> INCLUDING =
            EnumSet.of(ReturnCode.INCLUDE, ReturnCode.INCLUDE_AND_NEXT_COL, ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW);

    private Versions() {}

    /**
     * Returns the cells in HBase's order: newest timestamp first, tombstones before puts, then the last written first.
     */
    private static List<KeyValue> sorted(Collection<KeyValue> cells) {
        List<KeyValue> sorted = new ArrayList<>(cells);
        sorted.sort(ORDER);
        return sorted;
    }

    /** Returns the newest visible cell of each column, of one or more rows, as of a sequence number. */
    static List<KeyValue> visible(Collection<KeyValue> cells, long readPoint) {
        List<KeyValue> visible = new ArrayList<>();
        Walk walk = new Walk();
        for (KeyValue cell : sorted(cells)) {
            if (cell.getSequenceId() <= readPoint && walk.isVisible(cell)) {
                visible.add(cell);
            }
        }
        return visible;
    }

    /**
     * Returns what remains of the cells when HBase writes them to a new file: the cells that a reader at the read point
     * or later can see, and the newer tombstones.
     */
    static List<KeyValue> kept(Collection<KeyValue> cells, long readPoint, long dropsTombstonesBefore) {
        List<KeyValue> kept = new ArrayList<>();
        Walk walk = new Walk();
        for (KeyValue cell : sorted(cells)) {
            boolean mayBeSeen = cell.getSequenceId() > readPoint || walk.isVisible(cell);
            if (mayBeSeen || (CellUtil.isDelete(cell) && cell.getTimestamp() >= dropsTombstonesBefore)) {
                kept.add(cell);
            }
        }
        return kept;
    }

    /**
     * Returns a raw scan of one row through a filter. Of cells that differ only in their sequence number, it has the
     * last written.
     */
    static List<Cell> filtered(Collection<KeyValue> ofRow, Filter filter) throws IOException {
        List<Cell> passed = new ArrayList<>();
        KeyValue last = null;
        KeyValue columnPassed = null;
        Cell hint = null;
        for (KeyValue cell : sorted(ofRow)) {
            boolean again = last != null && ORDER.compare(last, cell, true) == 0;
            boolean behind = columnPassed != null && CellUtil.matchingColumn(columnPassed, cell);
            last = cell;
            boolean beforeHint = hint != null && ORDER.compare(cell, hint) < 0;
            if (again || behind || beforeHint) {
                continue;
            }
            ReturnCode code = filter.filterCell(cell);
            hint = code == ReturnCode.SEEK_NEXT_USING_HINT ? filter.getNextCellHint(cell) : null;
            if (INCLUDING.contains(code)) {
                passed.add(cell);
            }
            if (code == ReturnCode.NEXT_ROW || code == ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW) {
                break;
            }
            if (code == ReturnCode.NEXT_COL || code == ReturnCode.INCLUDE_AND_NEXT_COL) {
                columnPassed = cell;
            }
        }
        return passed;
    }

    /** A walk through cells in order that remembers the tombstones it has passed. */
    private static final class Walk {
        private KeyValue row;
        private KeyValue column;
        private long familyUntil;
        private long columnUntil;
        private final Set<Long> versions = new HashSet<>();
        private boolean found;

        boolean isVisible(KeyValue cell) {
            enter(cell);
            switch (cell.getType()) {
                case DeleteFamily -> familyUntil = Math.max(familyUntil, cell.getTimestamp());
                case DeleteColumn -> columnUntil = Math.max(columnUntil, cell.getTimestamp());
                case Delete -> versions.add(cell.getTimestamp());
                case Put -> {
                    long time = cell.getTimestamp();
                    boolean hidden = time <= familyUntil || time <= columnUntil || versions.contains(time);
                    boolean visible = !hidden && !found;
                    found |= visible;
                    return visible;
                }
                default -> throw new IllegalArgumentException("Not simulated: " + cell);
            }
            return false;
        }

        private void enter(KeyValue cell) {
            boolean sameRow = row != null && CellUtil.matchingRows(row, cell);
            if (!sameRow) {
                row = cell;
                familyUntil = Long.MIN_VALUE;
            }
            if (!sameRow || !CellUtil.matchingColumn(column, cell)) {
                column = cell;
                columnUntil = Long.MIN_VALUE;
                versions.clear();
                found = false;
            }
        }
    }
}
