package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;

/**
 * The rows of several changes before and after each of them, and as they are now. All images of a row are read
 * together, when the first is requested. Not thread-safe.
 */
public final class PastRows {
    private final RowReader reader;
    private final Map<ImmutableBytesWritable, NavigableSet<Long>> asked = new HashMap<>();
    private final Map<ImmutableBytesWritable, NavigableMap<Long, List<Cell>>> read = new HashMap<>();

    /**
     * Creates the images; reads nothing yet.
     *
     * @param changes all changes whose rows will be requested
     */
    PastRows(Collection<RowChange> changes, RowReader reader) {
        this.reader = reader;
        for (RowChange change : changes) {
            NavigableSet<Long> sequences = asked.computeIfAbsent(
                    new ImmutableBytesWritable(change.row()), row -> new TreeSet<>(List.of(RowReader.NOW)));
            sequences.add(change.before());
            sequences.add(change.lastSequence());
        }
    }

    /** Returns the visible indexed cells of the change's row as of the time its images were read. */
    List<Cell> now(RowChange change) throws IOException {
        return read(change.row(), RowReader.NOW);
    }

    /**
     * Returns the visible indexed cells of a row after the write of a sequence number.
     *
     * @param sequence {@link RowChange#before} or {@link RowChange#lastSequence} of a change of the row, or {@link
     *     RowReader#NOW}
     */
    List<Cell> read(byte[] row, long sequence) throws IOException {
        ImmutableBytesWritable key = new ImmutableBytesWritable(row);
        NavigableMap<Long, List<Cell>> images = read.get(key);
        if (images == null) {
            images = reader.readEach(row, asked.get(key));
            read.put(key, images);
        }
        return images.get(sequence);
    }
}
