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
    private List<Cell> before;
    private List<Cell> after;

    /**
     * Creates the images of a change; reads nothing yet.
     *
     * @param horizon an upper bound of the explicit timestamps of cells and tombstones in the region
     */
    RowImages(RowChange change, RowReader reader, long horizon) {
        this.change = change;
        this.reader = reader;
        this.horizon = horizon;
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
            after = nothingHidesThePut() ? overlay() : reader.read(change.row(), change.lastSequence());
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

    private boolean nothingHidesThePut() throws IOException {
        if (surelyVisible().isEmpty()) {
            return false;
        }
        for (Cell cell : before()) {
            if (cell.getTimestamp() >= change.firstStamp()) {
                return false;
            }
        }
        return true;
    }

    private List<Cell> overlay() throws IOException {
        List<Cell> visible = new ArrayList<>(change.plainCells());
        for (Cell old : before()) {
            if (change.plainCells().stream().noneMatch(put -> CellUtil.matchingColumn(put, old))) {
                visible.add(old);
            }
        }
        return visible;
    }
}
