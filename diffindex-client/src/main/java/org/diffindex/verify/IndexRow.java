package org.diffindex.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexCell;
import org.diffindex.model.IndexEntry;

/** A row of an index table as it is stored: the cell of its entry, if there is one, and stray cells. */
final class IndexRow {
    private final byte[] key;
    private final Optional<Cell> entryCell;
    private final List<Cell> strayCells;

    private IndexRow(byte[] key, Optional<Cell> entryCell, List<Cell> strayCells) {
        this.key = key;
        this.entryCell = entryCell;
        this.strayCells = strayCells;
    }

    /** Returns the row of a result of a scan or get, which is not empty. */
    static IndexRow of(Result result) {
        Cell[] cells = result.rawCells();
        if (cells.length == 1 && isOfEntry(cells[0])) {
            return new IndexRow(CellUtil.cloneRow(cells[0]), Optional.of(cells[0]), List.of());
        }
        Optional<Cell> entry = Optional.empty();
        List<Cell> stray = new ArrayList<>();
        for (Cell cell : cells) {
            if (isOfEntry(cell)) {
                entry = Optional.of(cell);
            } else {
                stray.add(cell);
            }
        }
        return new IndexRow(CellUtil.cloneRow(cells[0]), entry, stray);
    }

    private static boolean isOfEntry(Cell cell) {
        return CellUtil.matchingColumn(cell, IndexCell.FAMILY, IndexCell.QUALIFIER);
    }

    /** Returns the row key; not a copy. */
    byte[] key() {
        return key;
    }

    /** Returns whether there is a cell in the column of entries, whatever its value. */
    boolean hasEntryCell() {
        return entryCell.isPresent();
    }

    /** Returns the entry; empty if its cell is missing, or the cell's value is not a timestamp. */
    Optional<IndexEntry> entry() {
        return entryCell.filter(IndexRow::isValue).map(cell -> new IndexEntry(key, baseTimestamp(cell)));
    }

    private static boolean isValue(Cell cell) {
        return cell.getValueLength() == 0 || cell.getValueLength() == Bytes.SIZEOF_LONG;
    }

    private static long baseTimestamp(Cell cell) {
        return cell.getValueLength() == 0
                ? cell.getTimestamp()
                : Bytes.toLong(cell.getValueArray(), cell.getValueOffset());
    }

    /** Returns the stamp of the entry's cell, or of the first stray cell if that is missing. */
    long stamp() {
        return entryCell.orElseGet(() -> strayCells.get(0)).getTimestamp();
    }

    /** Returns the cells that do not belong to the entry. */
    List<Cell> strayCells() {
        return strayCells;
    }

    /** Returns all cells. */
    List<Cell> cells() {
        List<Cell> cells = new ArrayList<>(strayCells);
        entryCell.ifPresent(cells::add);
        return cells;
    }

    /** Returns the number of bytes of its key and cells. */
    long bytes() {
        return key.length + cells().stream().mapToLong(Cell::getSerializedSize).sum();
    }

    @Override
    public String toString() {
        Optional<IndexEntry> entry = entry();
        String text = entry.isPresent() ? entry.get().toString() : Bytes.toStringBinary(key) + " without an entry";
        return strayCells.isEmpty() ? text : text + " and " + strayCells.size() + " stray cells";
    }
}
