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
 * The stamps of the writes in one WAL entry: what a batch logs, and what a replay reads back. The timestamps of a row's cells
 * are the stamps of its writes, unless the entry says otherwise of the row. An entry without the mark says nothing: it was
 * written past the coprocessor, or before the table had an index, and its timestamps are no stamps.
 *
 * <p>The mark is the extended attribute {@link #ATTRIBUTE} of the entry's key. Its bytes: the number of this format (1 byte,
 * {@value #FORMAT}); then for each row whose stamps are not its timestamps: length of the row key (4 bytes), row key, first
 * stamp, last stamp (8 bytes each), big-endian. Both are 0 of a row whose writes have no stamps, since it concerned no index.
 *
 * <p>Immutable.
 */
final class WalStamps {
    /** Short: it is in every entry. */
    static final String ATTRIBUTE = "di.stamps";

    private static final byte FORMAT = 1;

    private static final WalStamps UNMARKED = new WalStamps(false, Map.of());

    private final boolean isMarked;

    /** The stamps of the rows whose timestamps do not tell them, in the order of the bytes. */
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

        /** From the first to the last of both. */
        Stamps and(Stamps other) {
            return new Stamps(Math.min(first, other.first), Math.max(last, other.last));
        }
    }

    /**
     * The stamps of a batch that is about to be logged.
     *
     * @param batch the writes that concern an index, by row
     * @param mixed the cells of the WAL entry, if there are some of other writes among them, which have no stamps; else none
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
     * The stamps that a WAL entry was logged with.
     *
     * @throws IOException if they are of a format that this version does not know
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

    /** Marks a WAL entry with these stamps. */
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

    /** Whether the entry has the mark. */
    boolean areMarked() {
        return isMarked;
    }

    /** Whether the timestamp of a cell of the entry is the stamp of its write, if it is of an index. */
    boolean areTimestamps(Cell cell) {
        return isMarked && (otherThanTimestamps.isEmpty() || !otherThanTimestamps.containsKey(rowOf(cell)));
    }

    /** Whether the writes of a row have stamps. */
    boolean areOf(ImmutableBytesWritable row) {
        return isMarked && !Stamps.NONE.equals(otherThanTimestamps.get(row));
    }

    /**
     * The stamps of the writes of a row; empty if they have none.
     *
     * @param timestamps those of the row's cells that concern an index
     */
    Optional<Stamps> of(ImmutableBytesWritable row, Stamps timestamps) {
        return areOf(row) ? Optional.of(otherThanTimestamps.getOrDefault(row, timestamps)) : Optional.empty();
    }

    private static ImmutableBytesWritable rowOf(Cell cell) {
        return new ImmutableBytesWritable(CellUtil.cloneRow(cell));
    }
}
