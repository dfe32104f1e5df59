package org.diffindex.server.maintain;

import java.util.List;
import org.apache.hadoop.hbase.Cell;

/** A single put of a row whose timestamp the server assigned and whose sequence number is not yet known. Immutable. */
public final class PlainPut {
    private final byte[] row;
    private final long stamp;
    private final List<Cell> indexedCells;

    /**
     * Creates a put of a row.
     *
     * @param row the base row key; not copied
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

    /** Returns the change of the row, once the put has that sequence number. */
    public RowChange appliedAt(long sequence) {
        return RowChange.plainPut(row, sequence, stamp, indexedCells);
    }
}
