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

/** A row of an index table as it lies there: the cell of its entry, if there is one, and cells that do not belong. */
final class IndexRow {
    private final byte[] key;
    private final Optional<Cell> entryCell;
    private final List<Cell> strayCells;

    private IndexRow(byte[] key, Optional<Cell> entryCell, List<Cell> strayCells) {
        this.key = key;
        this.entryCell = entryCell;
        this.strayCells = strayCells;
    }

    /** The row that a scan or a get returned, which is not empty. */
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

    /** The row key; not a copy. */
    byte[] key() {
        return key;
    }

    /** Whether there is a cell where an entry has its own, whatever is in it. */
    boolean hasEntryCell() {
        return entryCell.isPresent();
    }

    /** The entry; empty if there is no cell of one, or its value is no timestamp. */
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

    /** The bytes of its key and cells. */
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
