package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;

/** Reads the indexed columns of a base row as they were at a point in the region's history. The seam to the base. */
@FunctionalInterface
public interface RowReader {
    /**
     * The visible indexed cells of a row after the write of that sequence number, and none later, was applied; the cells
     * are copies. An empty list if the row had none.
     */
    List<Cell> read(byte[] row, long sequence) throws IOException;
}
