package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.util.Bytes;

/** Reads the indexed columns of a base row as they were at a point in the region's history. The seam to the base. */
@FunctionalInterface
public interface RowReader {
    /** In place of a sequence number: the row as it is now, with all writes up to the others that are asked for. */
    long NOW = Long.MAX_VALUE;

    /**
     * The visible indexed cells of a row after the write of that sequence number, and none later, was applied; the cells
     * are copies. An empty list if the row had none.
     */
    List<Cell> read(byte[] row, long sequence) throws IOException;

    /**
     * The same of several rows.
     *
     * @param rows in HBase's order
     * @return for each of the rows its cells, in HBase's order
     */
    default NavigableMap<byte[], List<Cell>> readAll(NavigableSet<byte[]> rows, long sequence) throws IOException {
        NavigableMap<byte[], List<Cell>> cells = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        for (byte[] row : rows) {
            cells.put(row, read(row, sequence));
        }
        return cells;
    }

    /**
     * The same of one row at several points in its history.
     *
     * @return for each of the sequence numbers the cells
     */
    default NavigableMap<Long, List<Cell>> readEach(byte[] row, NavigableSet<Long> sequences) throws IOException {
        NavigableMap<Long, List<Cell>> cells = new TreeMap<>();
        for (long sequence : sequences) {
            cells.put(sequence, read(row, sequence));
        }
        return cells;
    }
}
