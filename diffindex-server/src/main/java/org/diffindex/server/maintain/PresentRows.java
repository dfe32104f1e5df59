package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What rows of one region show now: from the region's row memory, or read, and then remembered. Each row is seen as a
 * get would have shown it at one moment during the call. Rows of which a write is in flight are left out. Thread-safe.
 */
public final class PresentRows {
    /** Reads rows as they are now. */
    @FunctionalInterface
    public interface Reader {
        /**
         * Reads rows in HBase's order, with one read point, as long as there is time.
         *
         * @param goesOn returns whether there is time to read another row
         * @return the rows that were read
         */
        Snapshot read(NavigableSet<byte[]> rows, BooleanSupplier goesOn) throws IOException;
    }

    /**
     * Rows as of one read point.
     *
     * @param readPoint the sequence number of the last write that the reader may have seen
     * @param rows copies of the visible indexed cells of each row; none if the row has none
     */
    public record Snapshot(long readPoint, Map<byte[], List<Cell>> rows) {}

    private final RowLocks locks;
    private final RowMemory memory;
    private final Reader reader;
    private final long nanosToRead;
    private final LongSupplier nanoTime;

    /**
     * Creates the view of a region's rows.
     *
     * @param locks the locks of the region's rows
     * @param nanosToRead for how long one call reads rows, in nanoseconds; the row that is being read then is the last
     */
    public PresentRows(RowLocks locks, RowMemory memory, Reader reader, long nanosToRead, LongSupplier nanoTime) {
        this.locks = locks;
        this.memory = memory;
        this.reader = reader;
        this.nanosToRead = nanosToRead;
        this.nanoTime = nanoTime;
    }

    /**
     * Returns the visible indexed cells of each row of which they could be told in time; none of a region whose rows are
     * not remembered at all, because they may change without a write.
     */
    public Map<ImmutableBytesWritable, List<Cell>> of(Collection<ImmutableBytesWritable> rows) throws IOException {
        if (!memory.isUsed()) {
            return Map.of();
        }
        Set<ImmutableBytesWritable> free = new LinkedHashSet<>(rows);
        free.removeAll(locks.heldAmong(free)); // before the memory is asked, see RowMemory.known
        Map<ImmutableBytesWritable, List<Cell>> present = new HashMap<>(2 * free.size());
        NavigableMap<byte[], RowMemory.Slot> unknown = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        for (ImmutableBytesWritable row : free) {
            memory.known(row)
                    .ifPresentOrElse(
                            cells -> present.put(row, cells),
                            () -> unknown.put(row.copyBytes(), memory.reserveToRead(row)));
        }
        if (!unknown.isEmpty()) {
            read(unknown, present);
        }
        return present;
    }

    /** Reads rows and remembers them in their slots, which were reserved before. */
    private void read(NavigableMap<byte[], RowMemory.Slot> slots, Map<ImmutableBytesWritable, List<Cell>> present)
            throws IOException {
        try {
            long start = nanoTime.getAsLong();
            Snapshot snapshot = reader.read(slots.navigableKeySet(), () -> nanoTime.getAsLong() - start < nanosToRead);
            snapshot.rows().forEach((row, cells) -> {
                slots.get(row).fill(cells, snapshot.readPoint());
                present.put(new ImmutableBytesWritable(row), cells);
            });
        } finally {
            slots.values().forEach(RowMemory.Slot::giveUp); // those that were not filled
        }
    }
}
