package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.util.Bytes;

/** Reads the indexed columns of a base row as of a point in the region's history. The interface to the base table. */
@FunctionalInterface
public interface RowReader {
    /**
     * Used instead of a sequence number: the row as it is now, including every write up to the other sequence numbers
     * read in the same call.
     */
    long NOW = Long.MAX_VALUE;

    /**
     * Returns copies of the row's visible indexed cells once the write of that sequence number, and none later, has
     * been applied; empty if the row had none.
     */
    List<Cell> read(byte[] row, long sequence) throws IOException;

    /**
     * Reads several rows, each as {@link #read} does.
     *
     * @param rows in HBase's order
     * @return the cells of each of the rows, in HBase's order
     */
    default NavigableMap<byte[], List<Cell>> readAll(NavigableSet<byte[]> rows, long sequence) throws IOException {
        NavigableMap<byte[], List<Cell>> cells = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        for (byte[] row : rows) {
            cells.put(row, read(row, sequence));
        }
        return cells;
    }

    /**
     * Reads one row at several points in its history, each as {@link #read} does.
     *
     * @return the cells for each of the sequence numbers
     */
    default NavigableMap<Long, List<Cell>> readEach(byte[] row, NavigableSet<Long> sequences) throws IOException {
        NavigableMap<Long, List<Cell>> cells = new TreeMap<>();
        for (long sequence : sequences) {
            cells.put(sequence, read(row, sequence));
        }
        return cells;
    }
}
