package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Reads the rows of one batch of writes as they were before it, all together when the first is requested. Delegates any
 * other read. Not thread-safe.
 */
final class BatchReader implements RowReader {
    private final RowReader reader;
    private final NavigableSet<byte[]> rows = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    private final long before;

    /** Null until a row is requested. */
    private NavigableMap<byte[], List<Cell>> read;

    /**
     * Creates a reader; reads nothing yet.
     *
     * @param batch changes with the same sequence number
     */
    BatchReader(Collection<RowChange> batch, RowReader reader) {
        this.reader = reader;
        batch.forEach(change -> rows.add(change.row()));
        this.before = batch.stream().mapToLong(RowChange::before).min().orElse(0);
    }

    @Override
    public List<Cell> read(byte[] row, long sequence) throws IOException {
        if (sequence != before || !rows.contains(row)) {
            return reader.read(row, sequence);
        }
        if (read == null) {
            read = reader.readAll(rows, before);
        }
        return read.get(row);
    }
}
