package org.diffindex.server.maintain;

import java.util.List;
import org.apache.hadoop.hbase.Cell;

/** A single put of a row to which the server gave the time, before it is known under which sequence number. Immutable. */
public final class PlainPut {
    private final byte[] row;
    private final long stamp;
    private final List<Cell> indexedCells;

    /**
     * A put of a row.
     *
     * @param row the base row key; it is kept
     * @param stamp the timestamp of all its cells
     * @param indexedCells copies of the cells that an index reads, each column once
     */
    public PlainPut(byte[] row, long stamp, List<Cell> indexedCells) {
        this.row = row;
        this.stamp = stamp;
        this.indexedCells = List.copyOf(indexedCells);
    }

    byte[] row() {
        return row;
    }

    long stamp() {
        return stamp;
    }

    List<Cell> indexedCells() {
        return indexedCells;
    }

    /** What it did to its row. */
    public RowChange appliedAt(long sequence) {
        return RowChange.plainPut(row, sequence, stamp, indexedCells);
    }
}
