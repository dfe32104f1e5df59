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

/** A row of an index table as it lies there: the cell of its entry, if there is one, and cells that do not belong. */
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

    /** The row that a scan or a get returned, which is not empty. */
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

    /** The row key; not a copy. */
    byte[] key() {
        return key;
    }

    /** Whether there is a cell where an entry has its own, whatever is in it. */
    boolean hasEntryCell() {
        return entryCell.isPresent();
    }

    /** The entry; empty if there is no cell of one, or its value is none of an entry. */
    Optional<IndexEntry> entry() {
        return entry;
    }

    /** The stamp of the entry's cell; of the first stray cell if there is none. */
    long stamp() {
        return entryCell.orElseGet(() -> strayCells.get(0)).getTimestamp();
    }

    /** The cells that no entry has. */
    List<Cell> strayCells() {
        return strayCells;
    }

    /** All cells. */
    List<Cell> cells() {
        List<Cell> cells = new ArrayList<>(strayCells);
        entryCell.ifPresent(cells::add);
        return cells;
    }

    /** Deletes cells of the row, each exactly. */
    List<Delete> deletionsOf(List<Cell> cells) {
        return cells.stream().map(format::deleteExactly).toList();
    }

    /** The bytes of its key and cells. */
    long bytes() {
        return key.length + cells().stream().mapToLong(Cell::getSerializedSize).sum();
    }

    @Override
    public String toString() {
        String text = entry.isPresent() ? entry.get().toString() : Bytes.toStringBinary(key) + " without an entry";
        return strayCells.isEmpty() ? text : text + " and " + strayCells.size() + " stray cells";
    }
}
