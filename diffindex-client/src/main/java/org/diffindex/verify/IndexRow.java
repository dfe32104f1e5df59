package org.diffindex.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexEntry;

/** A row of an index table as it is stored: the cell of its entry, if there is one, and stray cells. */
final class IndexRow {
    private final EntryFormat format;
    private final byte[] key;
    private final Optional<Cell> entryCell;
    private final Optional<IndexEntry> entry;
    private final List<Cell> strayCells;

    private IndexRow(EntryFormat format, Optional<Cell> entryCell, List<Cell> strayCells) {
        this.format = format;
        this.entryCell = entryCell;
        this.entry = entryCell.flatMap(format::decode);
        this.strayCells = strayCells;
        this.key = entry.map(IndexEntry::key)
                .orElseGet(() -> CellUtil.cloneRow(entryCell.orElseGet(() -> strayCells.get(0))));
    }

    /** Returns the row of a result of a scan or get, which is not empty. */
    static IndexRow of(EntryFormat format, Result result) {
        Cell[] cells = result.rawCells();
        if (cells.length == 1 && format.isOfEntry(cells[0])) {
            return new IndexRow(format, Optional.of(cells[0]), List.of());
        }
        Optional<Cell> entry = Optional.empty();
        List<Cell> stray = new ArrayList<>();
        for (Cell cell : cells) {
            if (format.isOfEntry(cell)) {
                entry = Optional.of(cell);
            } else {
                stray.add(cell);
            }
        }
        return new IndexRow(format, entry, stray);
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
        return entry;
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

    /** Returns deletes of exactly these cells of the row. */
    List<Delete> deletionsOf(List<Cell> cells) {
        return cells.stream().map(format::deleteExactly).toList();
    }

    /** Returns the number of bytes of its key and cells. */
    long bytes() {
        return key.length + cells().stream().mapToLong(Cell::getSerializedSize).sum();
    }

    @Override
    public String toString() {
        String text = entry.isPresent() ? entry.get().toString() : Bytes.toStringBinary(key) + " without an entry";
        return strayCells.isEmpty() ? text : text + " and " + strayCells.size() + " stray cells";
    }
}
