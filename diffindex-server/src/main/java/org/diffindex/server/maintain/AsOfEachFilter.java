package org.diffindex.server.maintain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.filter.FilterBase;

/**
 * Like {@link AsOfFilter}, for several sequence numbers at once: computes what was visible in one row after each of
 * them. The scan returns nothing; the cells are kept here.
 *
 * <p>A put was visible from its own sequence number until that of the first tombstone that hides it, except while a put
 * with a later timestamp was. The raw scan returns the latest timestamp first, so each put claims those of its sequence
 * numbers that no other put has claimed.
 *
 * <p>For one scan of one row; not thread-safe.
 */
final class AsOfEachFilter extends FilterBase {
    private final long[] sequences;
    private final LongSupplier horizon;
    private final AskedColumns columns;
    private final List<List<Cell>> visible;

    /** The sequence numbers whose result may be wrong, by position in {@link #sequences}, as in all sets here. */
    private final BitSet inDoubt = new BitSet();

    private Cell familySeen;
    private final Tombstones ofFamily = new Tombstones();
    private Cell columnSeen;
    private final Tombstones ofColumn = new Tombstones();

    /** The sequence numbers for which the visible put of the current column has not been found. */
    private final BitSet open = new BitSet();

    /**
     * Creates a filter for one scan.
     *
     * @param sequences in ascending order
     * @param horizon as for {@link AsOfFilter}
     */
    AsOfEachFilter(Collection<Long> sequences, LongSupplier horizon, AskedColumns columns) {
        this.sequences = sequences.stream().mapToLong(Long::longValue).toArray();
        this.horizon = horizon;
        this.columns = columns;
        this.visible = new ArrayList<>(this.sequences.length);
        for (int i = 0; i < this.sequences.length; i++) {
            visible.add(new ArrayList<>(1));
        }
    }

    /**
     * The tombstones of a family or of a column, by timestamp, with the sequence numbers from which they hide cells.
     */
    private static final class Tombstones {
        /**
         * For each timestamp, the lowest sequence number of the tombstones that hide it. Timestamps are added in
         * descending order.
         */
        private final NavigableMap<Long, Long> until = new TreeMap<>();

        private final Map<Long, Long> versions = new HashMap<>(0);

        void addUntil(long timestamp, long sequence) {
            long earlier = until.isEmpty() ? sequence : until.firstEntry().getValue();
            until.put(timestamp, Math.min(earlier, sequence));
        }

        void addVersion(long timestamp, long sequence) {
            versions.merge(timestamp, sequence, Math::min);
        }

        /** Returns the sequence number from which a put is hidden; {@link Long#MAX_VALUE} if it is not. */
        long hideFrom(long timestamp) {
            Map.Entry<Long, Long> covering = until.ceilingEntry(timestamp);
            long byVersion = versions.getOrDefault(timestamp, Long.MAX_VALUE);
            return covering == null ? byVersion : Math.min(covering.getValue(), byVersion);
        }

        void clear() {
            until.clear();
            versions.clear();
        }
    }

    /**
     * Returns, after the scan, copies of the cells that were visible after that sequence number, which must be one of
     * the filter's; empty if the result is in doubt.
     */
    Optional<List<Cell>> visibleAfter(long sequence) {
        int place = Arrays.binarySearch(sequences, sequence);
        return inDoubt.get(place) ? Optional.empty() : Optional.of(visible.get(place));
    }

    /** Returns the position of the first sequence number that is not smaller than another. */
    private int from(long sequence) {
        int place = Arrays.binarySearch(sequences, sequence);
        return place >= 0 ? place : -place - 1;
    }

    @Override
    public ReturnCode filterCell(Cell cell) {
        // A cell with an empty qualifier may be a tombstone of the family, or precede one.
        if (cell.getQualifierLength() > 0 && !columns.contain(cell)) {
            return behind(cell);
        }
        enter(cell);
        long sequence = AsOfFilter.sequenceOf(cell);
        if (cell.getTimestamp() <= horizon.getAsLong()) {
            doubtBefore(sequence, isOfFamily(cell));
        }
        switch (cell.getType()) {
            case DeleteFamily -> ofFamily.addUntil(cell.getTimestamp(), sequence);
            case DeleteFamilyVersion -> ofFamily.addVersion(cell.getTimestamp(), sequence);
            case DeleteColumn -> ofColumn.addUntil(cell.getTimestamp(), sequence);
            case Delete -> ofColumn.addVersion(cell.getTimestamp(), sequence);
            default -> put(cell, sequence);
        }
        boolean isLast = open.isEmpty() && cell.getQualifierLength() > 0; // else tombstones of the family may follow
        return isLast ? behind(cell) : ReturnCode.SKIP;
    }

    private ReturnCode behind(Cell cell) {
        return columns.haveOneBehind(cell) ? ReturnCode.SEEK_NEXT_USING_HINT : ReturnCode.NEXT_ROW;
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
            open.set(0, sequences.length);
            open.andNot(inDoubt);
        }
    }

    /**
     * Returns whether a cell is a tombstone that hides cells of all columns, including columns whose put has been
     * found.
     */
    private static boolean isOfFamily(Cell cell) {
        return cell.getType() == Cell.Type.DeleteFamily || cell.getType() == Cell.Type.DeleteFamilyVersion;
    }

    /** Marks the sequence numbers before a cell's as in doubt: the cell may conceal an earlier one. */
    private void doubtBefore(long sequence, boolean inAllColumns) {
        int end = from(sequence);
        if (inAllColumns) {
            inDoubt.set(0, end);
        }
        for (int place = open.nextSetBit(0); place >= 0 && place < end; place = open.nextSetBit(place + 1)) {
            inDoubt.set(place);
        }
        open.clear(0, end);
    }

    private void put(Cell cell, long sequence) {
        long hidden = Math.min(ofFamily.hideFrom(cell.getTimestamp()), ofColumn.hideFrom(cell.getTimestamp()));
        int begin = from(sequence);
        int end = hidden == Long.MAX_VALUE ? sequences.length : from(hidden);
        int place = open.nextSetBit(begin);
        if (place >= 0 && place < end && columns.contain(cell)) {
            Cell copy = KeyValueUtil.copyToNewKeyValue(cell);
            for (; place >= 0 && place < end; place = open.nextSetBit(place + 1)) {
                visible.get(place).add(copy);
            }
            open.clear(begin, end);
        }
    }

    @Override
    public Cell getNextCellHint(Cell cell) {
        return columns.firstBehind(cell);
    }
}
