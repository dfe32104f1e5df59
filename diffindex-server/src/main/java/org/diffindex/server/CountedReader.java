package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.Cell;
import org.diffindex.server.maintain.RowReader;
import org.diffindex.server.queue.DeliveryStats;

/**
 * A {@link RowReader} that counts the rows that index maintenance reads; the reads of repairs and lookups do not use
 * it. Thread-safe.
 */
record CountedReader(RowReader rows, DeliveryStats stats) implements RowReader {
    @Override
    public List<Cell> read(byte[] row, long sequence) throws IOException {
        stats.baseReads.increment();
        return rows.read(row, sequence);
    }

    @Override
    public NavigableMap<byte[], List<Cell>> readAll(NavigableSet<byte[]> asked, long sequence) throws IOException {
        stats.baseReads.add(asked.size());
        return rows.readAll(asked, sequence);
    }

    @Override
    public NavigableMap<Long, List<Cell>> readEach(byte[] row, NavigableSet<Long> sequences) throws IOException {
        stats.baseReads.increment();
        return rows.readEach(row, sequences);
    }
}
