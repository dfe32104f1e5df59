package org.diffindex.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.wal.WALKey;

/**
 * The stamps of the writes in one WAL entry: what a batch logs, and what a replay reads back. The timestamps of a row's
 * cells are the stamps of its writes, unless the entry lists the row. An entry without the mark bypassed the
 * coprocessor, or was written before the table had an index; its timestamps are not stamps.
 *
 * <p>The mark is the extended attribute {@link #ATTRIBUTE} of the entry's key. Its bytes: the number of this format (1
 * byte, {@value #FORMAT}); then for each row whose stamps are not its timestamps: length of the row key (4 bytes), row
 * key, first stamp, last stamp (8 bytes each), big-endian. Both are 0 for a row whose writes have no stamps because
 * they concern no index.
 *
 * <p>Immutable.
 */
final class WalStamps {
    /** Short, because every entry contains it. */
    static final String ATTRIBUTE = "di.stamps";

    private static final byte FORMAT = 1;

    private static final WalStamps UNMARKED = new WalStamps(false, Map.of());

    private final boolean isMarked;

    /** The stamps of the rows whose timestamps are not their stamps, in the order of the bytes. */
    private final Map<ImmutableBytesWritable, Stamps> otherThanTimestamps;

    private WalStamps(boolean isMarked, Map<ImmutableBytesWritable, Stamps> otherThanTimestamps) {
        this.isMarked = isMarked;
        this.otherThanTimestamps = otherThanTimestamps;
    }

    /** The first and the last stamp of a row's writes. */
    record Stamps(long first, long last) {
        private static final Stamps NONE = new Stamps(0, 0);

        static Stamps at(long time) {
            return new Stamps(time, time);
        }

        /** Returns the range that spans both. */
        Stamps and(Stamps other) {
            return new Stamps(Math.min(first, other.first), Math.max(last, other.last));
        }
    }

    /**
     * Returns the stamps of a batch that is about to be logged.
     *
     * @param batch the writes of rows that concern an index
     * @param mixed all cells of the WAL entry if some belong to writes of other rows, which have no stamps; else none
     */
    static WalStamps of(Map<ImmutableBytesWritable, RowWrites> batch, Iterable<Cell> mixed) {
        Map<ImmutableBytesWritable, Stamps> stamps = new LinkedHashMap<>();
        Set<ImmutableBytesWritable> others = new LinkedHashSet<>();
        batch.forEach((row, writes) -> {
            if (!writes.areStampsTimestamps()) {
                others.add(row);
            }
        });
        for (Cell cell : mixed) {
            ImmutableBytesWritable row = rowOf(cell);
            RowWrites writes = batch.get(row);
            if (writes == null) {
                stamps.put(row, Stamps.NONE);
            } else if (cell.getTimestamp() != writes.firstStamp()) {
                others.add(row);
            }
        }
        for (ImmutableBytesWritable row : others) {
            RowWrites writes = batch.get(row);
            stamps.put(row, new Stamps(writes.firstStamp(), writes.lastStamp()));
        }
        return new WalStamps(true, stamps);
    }

    /**
     * Returns the stamps with which a WAL entry was logged.
     *
     * @throws IOException if their format is unknown to this version
     */
    static WalStamps of(WALKey key) throws IOException {
        byte[] attribute = key.getExtendedAttribute(ATTRIBUTE);
        if (attribute == null) {
            return UNMARKED;
        }
        ByteBuffer in = ByteBuffer.wrap(attribute);
        if (!in.hasRemaining() || in.get() != FORMAT) {
            throw new IOException(
                    "A WAL entry has stamps of a format that this version does not know [key=" + key + "]");
        }
        Map<ImmutableBytesWritable, Stamps> stamps = new LinkedHashMap<>();
        while (in.hasRemaining()) {
            byte[] row = new byte[in.getInt()];
            in.get(row);
            stamps.put(new ImmutableBytesWritable(row), new Stamps(in.getLong(), in.getLong()));
        }
        return new WalStamps(true, stamps);
    }

    /** Adds these stamps to a WAL entry. */
    void addTo(WALKey key) {
        int length = 1;
        for (ImmutableBytesWritable row : otherThanTimestamps.keySet()) {
            length += Integer.BYTES + row.getLength() + 2 * Long.BYTES;
        }
        ByteBuffer bytes = ByteBuffer.allocate(length);
        bytes.put(FORMAT);
        otherThanTimestamps.forEach((row, stamps) -> bytes.putInt(row.getLength())
                .put(row.get(), row.getOffset(), row.getLength())
                .putLong(stamps.first)
                .putLong(stamps.last));
        key.addExtendedAttribute(ATTRIBUTE, bytes.array());
    }

    /**
     * Returns whether the timestamp of a cell of the entry is the stamp of its write, provided that an index reads the
     * cell.
     */
    boolean areTimestamps(Cell cell) {
        return isMarked && (otherThanTimestamps.isEmpty() || !otherThanTimestamps.containsKey(rowOf(cell)));
    }

    /** Returns whether the write of a cell of the entry has a stamp. */
    boolean areOf(Cell cell) {
        return isMarked && (otherThanTimestamps.isEmpty() || areOf(rowOf(cell)));
    }

    /** Returns whether the writes of a row have stamps. */
    boolean areOf(ImmutableBytesWritable row) {
        return isMarked && !Stamps.NONE.equals(otherThanTimestamps.get(row));
    }

    /**
     * Returns the stamps of the writes of a row; empty if they have none.
     *
     * @param timestamps the range of the timestamps of the row's cells that concern an index
     */
    Optional<Stamps> of(ImmutableBytesWritable row, Stamps timestamps) {
        return areOf(row) ? Optional.of(otherThanTimestamps.getOrDefault(row, timestamps)) : Optional.empty();
    }

    private static ImmutableBytesWritable rowOf(Cell cell) {
        return new ImmutableBytesWritable(CellUtil.cloneRow(cell));
    }
}
