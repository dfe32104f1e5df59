package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;

/**
 * A base row before and after a change: each read at most once, and only if it is asked for. For use by one thread.
 *
 * <p>The row after a plain put is the row before it with the put's cells laid over, unless a cell or a tombstone of a
 * later time may hide them; then it is read too.
 */
public final class RowImages {
    private final RowChange change;
    private final RowReader reader;
    private final long horizon;
    private List<Cell> before;
    private List<Cell> after;

    /**
     * The images of a change, read when asked for.
     *
     * @param horizon no cell or tombstone with an explicit timestamp after this is in the region
     */
    RowImages(RowChange change, RowReader reader, long horizon) {
        this.change = change;
        this.reader = reader;
        this.horizon = horizon;
    }

    /** The visible indexed cells before the change. */
    public List<Cell> before() throws IOException {
        if (before == null) {
            before = reader.read(change.row(), change.before());
        }
        return before;
    }

    /** The visible indexed cells after the change. */
    public List<Cell> after() throws IOException {
        if (after == null) {
            after = nothingHidesThePut() ? overlay() : reader.read(change.row(), change.lastSequence());
        }
        return after;
    }

    /** The put's cells, if they are sure to be visible after it without a look at the row. */
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
