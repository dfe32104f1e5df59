package org.diffindex.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;

/**
 * The function f of "index = f(visible base)": maps the visible cells of a base row to the row's entry in one index.
 * Index maintenance, replay, backfill, the reader's check under sync-insert and every comparison of index and base use
 * it.
 *
 * <p>A row has no entry if one of the key columns is missing, holds bytes that its type cannot decode, or would make
 * the key longer than {@link IndexDefinition#maxKeyLength}, or if its cell has an ACL or a visibility label of its own, unless
 * the definition {@linkplain IndexDefinition#indexesProtectedCells says so}. It has none either if the cell of an {@linkplain
 * IncludedColumns included column} is too long, or if the row does not satisfy the {@linkplain ColumnCondition conditions} of a
 * partial index. Of included columns, and of those in conditions, a cell with an ACL or a label counts as absent.
 *
 * <p>Pure; thread-safe.
 */
public final class IndexEntryFunction {
    private final IndexDefinition definition;
    private final IndexKeyCodec codec;

    public IndexEntryFunction(IndexDefinition definition) {
        this.definition = definition;
        this.codec = new IndexKeyCodec(definition);
    }

    public IndexDefinition definition() {
        return definition;
    }

    public IndexKeyCodec codec() {
        return codec;
    }

    /**
     * Returns the entry of a row; empty if the row has none.
     *
     * @param visibleCells the newest visible cell of each column
     */
    public Optional<IndexEntry> entryOf(byte[] row, Iterable<Cell> visibleCells) {
        try {
            return strictEntryOf(row, visibleCells);
        } catch (UndecodableValueException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns the entry of a row if these cells include one of every column the entry is computed from; empty if they
     * do not, or if the row has no entry.
     */
    public Optional<IndexEntry> entryToldBy(byte[] row, Collection<Cell> someCells) {
        boolean areAll = definition.readColumns().stream().noneMatch(column -> find(column, someCells) == null);
        return areAll ? entryOf(row, someCells) : Optional.empty();
    }

    /**
     * Returns the same entry as {@link #entryOf}, but distinguishes a value that cannot be indexed from a missing one.
     *
     * @throws UndecodableValueException if a value is not of its column's type, or the key or an included value would be too
     *     long
     */
    public Optional<IndexEntry> strictEntryOf(byte[] row, Iterable<Cell> visibleCells)
            throws UndecodableValueException {
        List<byte[]> values = new ArrayList<>(definition.keyColumns().size());
        long timestamp = Long.MIN_VALUE;
        for (IndexedColumn column : definition.keyColumns()) {
            Cell cell = find(column, visibleCells);
            if (cell == null || isProtected(cell)) {
                return Optional.empty();
            }
            values.add(column.type().valueOf(CellUtil.cloneValue(cell)));
            timestamp = Math.max(timestamp, cell.getTimestamp());
        }
        if (!isWanted(visibleCells)) {
            return Optional.empty();
        }
        return Optional.of(including(new IndexEntry(keyOf(values, row), timestamp), visibleCells));
    }

    /** Returns whether a row satisfies all conditions. A protected cell counts as none. */
    private boolean isWanted(Iterable<Cell> visibleCells) throws UndecodableValueException {
        for (ColumnCondition condition : definition.conditions()) {
            Optional<byte[]> value =
                    unprotected(condition.column(), visibleCells).map(CellUtil::cloneValue);
            if (!condition.isMetBy(value)) {
                return false;
            }
        }
        return true;
    }

    private Optional<Cell> unprotected(IndexedColumn column, Iterable<Cell> visibleCells) {
        return Optional.ofNullable(find(column, visibleCells)).filter(cell -> !isProtected(cell));
    }

    /** Returns an entry with what it includes. A protected cell counts as none. */
    private IndexEntry including(IndexEntry entry, Iterable<Cell> visibleCells) throws UndecodableValueException {
        IncludedColumns included = definition.included();
        if (included.isEmpty()) {
            return entry;
        }
        List<Optional<Cell>> cells = new ArrayList<>(included.columns().size());
        long newest = entry.timestamp();
        for (IndexedColumn column : included.columns()) {
            Optional<Cell> cell = unprotected(column, visibleCells);
            cells.add(cell);
            newest = Math.max(newest, cell.map(Cell::getTimestamp).orElse(newest));
        }
        return new IndexEntry(entry.key(), newest, included.encode(cells));
    }

    /** Returns whether one of the visible cells that are read is protected, which may be why a row has no entry. */
    public boolean isProtected(Iterable<Cell> visibleCells) {
        for (Cell cell : visibleCells) {
            if (isProtected(cell) && reads(cell)) {
                return true;
            }
        }
        return false;
    }

    private boolean isProtected(Cell cell) {
        return !definition.indexesProtectedCells() && ProtectedCells.isProtected(cell);
    }

    private byte[] keyOf(List<byte[]> values, byte[] row) throws UndecodableValueException {
        long length = row.length;
        for (byte[] value : values) {
            length += value.length;
        }
        // Key bytes are never shorter than their value, so an oversized value is rejected before it is encoded.
        byte[] key = length > definition.maxKeyLength() ? null : codec.encode(values, row);
        if (key == null || key.length > definition.maxKeyLength()) {
            throw new UndecodableValueException("The index key would be too long: "
                    + (key == null ? "over " + length : key.length)
                    + " bytes, and HBase finds the region of keys of up to "
                    + definition.maxKeyLength() + " [index=" + definition.name() + "]");
        }
        return key;
    }

    /** Returns whether a cell belongs to a column from which entries are computed. */
    public boolean reads(Cell cell) {
        for (IndexedColumn column : definition.readColumns()) {
            if (column.matches(cell)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether a mutation with this cell can change the entry: the cell belongs to a column that is read, or
     * deletes the family of one.
     */
    public boolean concernedBy(Cell cell) {
        return reads(cell) || isFamilyDeleteOfAColumn(cell);
    }

    private boolean isFamilyDeleteOfAColumn(Cell cell) {
        if (cell.getType() != Cell.Type.DeleteFamily && cell.getType() != Cell.Type.DeleteFamilyVersion) {
            return false;
        }
        return definition.readColumns().stream().anyMatch(column -> CellUtil.matchingFamily(cell, column.family()));
    }

    private static Cell find(IndexedColumn column, Iterable<Cell> cells) {
        for (Cell cell : cells) {
            if (column.matches(cell)) {
                return cell;
            }
        }
        return null;
    }
}
