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
 * As {@link AsOfFilter}, for several sequence numbers at a time: what of one row was visible after each of them. The scan
 * returns nothing; the cells are kept here.
 *
 * <p>A put was visible from its own sequence number until that of the first tombstone that hides it, unless a put of a later
 * timestamp was. The raw scan brings the latest timestamp first; so each put takes, of those sequence numbers, the ones that no
 * other has taken.
 *
 * <p>For one scan of one row; not safe for use by many threads.
 */
final class AsOfEachFilter extends FilterBase {
    private final long[] sequences;
    private final LongSupplier horizon;
    private final AskedColumns columns;
    private final List<List<Cell>> visible;

    /** Of which sequence numbers what was found may be wrong; by their places, as in all sets here. */
    private final BitSet inDoubt = new BitSet();

    private Cell familySeen;
    private final Tombstones ofFamily = new Tombstones();
    private Cell columnSeen;
    private final Tombstones ofColumn = new Tombstones();

    /** For which sequence numbers the visible put of the column is not found yet. */
    private final BitSet open = new BitSet();

    /**
     * A filter for one scan.
     *
     * @param sequences in ascending order
     * @param horizon as {@link AsOfFilter}'s
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

    /** The tombstones of a family, or of a column, by timestamp, with the sequence numbers from which on they hide. */
    private static final class Tombstones {
        /** For each timestamp the lowest sequence number of those that hide it; what comes in has ever lower timestamps. */
        private final NavigableMap<Long, Long> until = new TreeMap<>();

        private final Map<Long, Long> versions = new HashMap<>(0);

        void addUntil(long timestamp, long sequence) {
            long earlier = until.isEmpty() ? sequence : until.firstEntry().getValue();
            until.put(timestamp, Math.min(earlier, sequence));
        }

        void addVersion(long timestamp, long sequence) {
            versions.merge(timestamp, sequence, Math::min);
        }

        /** The sequence number from which on a put is hidden; {@link Long#MAX_VALUE} if it is not. */
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

    /** After the scan, the cells that were visible after that sequence number, copied; empty if that is in doubt. */
    Optional<List<Cell>> visibleAfter(long sequence) {
        int place = Arrays.binarySearch(sequences, sequence);
        return inDoubt.get(place) ? Optional.empty() : Optional.of(visible.get(place));
    }

    /** The place of the first sequence number that is not before another. */
    private int from(long sequence) {
        int place = Arrays.binarySearch(sequences, sequence);
        return place >= 0 ? place : -place - 1;
    }

    @Override
    public ReturnCode filterCell(Cell cell) {
        // A cell with an empty qualifier may be a tombstone of the family, or stand before one.
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

    /** Whether a cell is a tombstone that hides cells of all columns, also where the put of its own column is found. */
    private static boolean isOfFamily(Cell cell) {
        return cell.getType() == Cell.Type.DeleteFamily || cell.getType() == Cell.Type.DeleteFamilyVersion;
    }

    /** The cell may keep another one out of sight, which was there before. */
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
