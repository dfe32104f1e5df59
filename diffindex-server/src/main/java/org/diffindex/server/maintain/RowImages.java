package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;

/**
 * A base row before and after a change, each read on first use and at most once. Not thread-safe.
 *
 * <p>The row after a plain put is the row before it overlaid with the put's cells, unless a cell or tombstone with an
 * equal or later timestamp may hide them; then the row is read.
 */
public final class RowImages {
    private final RowChange change;
    private final RowReader reader;
    private final Optional<List<Cell>> remembered;
    private final long horizon;

    /** Null unless the row after the change is to be remembered as soon as it has been read. */
    private RowMemory.Slot slot;

    private List<Cell> before;
    private List<Cell> after;

    /**
     * Creates the images of a change; reads nothing yet.
     *
     * @param horizon an upper bound of the explicit timestamps of cells and tombstones in the region
     */
    RowImages(RowChange change, RowReader reader, long horizon) {
        this(change, reader, Optional.empty(), horizon);
    }

    /**
     * Creates the images of a change; reads nothing yet.
     *
     * @param remembered the visible indexed cells before the change, if the reader knows them without a read
     * @param horizon an upper bound of the explicit timestamps of cells and tombstones in the region
     */
    RowImages(RowChange change, RowReader reader, Optional<List<Cell>> remembered, long horizon) {
        this.change = change;
        this.reader = reader;
        this.remembered = remembered;
        this.horizon = horizon;
    }

    /**
     * Remembers the row after the change: now, if that is known without reading the row, or when {@link #after} has read
     * it. Reads nothing.
     *
     * @param era the memory's era when it was asked for the cells before the change, or an earlier one
     * @param before the visible indexed cells before the change, if they are known
     * @param columns the number of columns that the indexes read
     */
    void remember(RowMemory memory, Object era, Optional<List<Cell>> before, int columns) {
        if (surelyVisible().size() == columns) {
            memory.remember(change.row(), change.plainCells());
        } else if (before.isPresent() && isVisibleOver(before.get())) {
            memory.remember(change.row(), overlay(before.get()), era);
        } else {
            slot = memory.reserve(change.row());
        }
    }

    /** Returns the visible indexed cells before the change, if they are known without a read. */
    Optional<List<Cell>> remembered() {
        return remembered;
    }

    /** Returns the visible indexed cells before the change. */
    public List<Cell> before() throws IOException {
        if (before == null) {
            before = reader.read(change.row(), change.before());
        }
        return before;
    }

    /** Returns the visible indexed cells after the change. */
    public List<Cell> after() throws IOException {
        if (after == null) {
            boolean isOverlay = !surelyVisible().isEmpty() && isVisibleOver(before());
            after = isOverlay ? overlay(before()) : reader.read(change.row(), change.lastSequence());
            if (isOverlay && slot != null) {
                slot.fill(after);
            }
        }
        return after;
    }

    /**
     * Returns the cells of a plain put if they are certain to be visible after it without a read of the row; otherwise
     * empty.
     */
    public List<Cell> surelyVisible() {
        return horizon < change.firstStamp() ? change.plainCells() : List.of();
    }

    /** Returns whether a put with the change's stamp, which no tombstone hides, is visible over these cells. */
    private boolean isVisibleOver(List<Cell> old) {
        return !surelyVisible().isEmpty() && old.stream().allMatch(cell -> cell.getTimestamp() < change.firstStamp());
    }

    private List<Cell> overlay(List<Cell> old) {
        List<Cell> visible = new ArrayList<>(change.plainCells());
        for (Cell cell : old) {
            if (change.plainCells().stream().noneMatch(put -> CellUtil.matchingColumn(put, cell))) {
                visible.add(cell);
            }
        }
        return visible;
    }
}
