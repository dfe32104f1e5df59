package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;

/**
 * Reads a row that was remembered when it was written again: what it showed before that write needs no read, and counts
 * as a hit of the memory. Any other read is delegated.
 *
 * @param before the sequence number as of which the row showed the cells
 */
record RememberedRow(long before, List<Cell> cells, RowMemory memory, RowReader reader) implements RowReader {
    @Override
    public List<Cell> read(byte[] row, long sequence) throws IOException {
        if (sequence != before) {
            return reader.read(row, sequence);
        }
        memory.countHit();
        return cells;
    }
}
