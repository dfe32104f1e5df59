package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
    private final long horizon;

    /** Null unless the row after the change is to be remembered. */
    private RowMemory.Slot slot;

    private List<Cell> before;
    private List<Cell> after;

    /**
     * Creates the images of a change; reads nothing yet.
     *
     * @param horizon an upper bound of the explicit timestamps of cells and tombstones in the region
     */
    RowImages(RowChange change, RowReader reader, long horizon) {
        this(change, reader, horizon, null);
    }

    /**
     * Creates the images of a change of a row of which it may be known what it showed before; reads nothing yet.
     *
     * @param before the visible indexed cells before the change; null if they are not known
     */
    RowImages(RowChange change, RowReader reader, long horizon, List<Cell> before) {
        this.change = change;
        this.reader = reader;
        this.horizon = horizon;
        this.before = before;
    }

    /**
     * Fills a slot with the row after the change as soon as that is known without reading it: now, or when {@link
     * #after} is called first. Reads nothing.
     *
     * @param columns the number of columns that the indexes read
     */
    void remember(RowMemory.Slot to, int columns) {
        slot = to;
        if (surelyVisible().size() == columns) {
            slot.fill(change.plainCells());
        } else if (before != null && isVisibleOver(before)) {
            after = overlay(before);
        }
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
        if (slot != null) {
            slot.fill(visible);
        }
        return visible;
    }
}
