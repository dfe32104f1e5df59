package org.diffindex.server;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.wal.WALKey;

/**
 * The mark of a WAL entry whose writes have stamps, and those stamps that the cells' timestamps do not tell. An entry without
 * it was written past the coprocessor, or before the table had an index: its timestamps are no stamps.
 *
 * <p>It is the value of the extended attribute {@link #ATTRIBUTE} of the entry's key. Its bytes: the number of this format
 * (1 byte, {@value #FORMAT}); then for each row whose stamps are not its timestamps: length of the row key (4 bytes), row
 * key, first stamp, last stamp (8 bytes each), big-endian. Both are 0 of a row that has none, since it concerned no index.
 */
final class WalStamps {
    /** Short: it is in every entry. */
    static final String ATTRIBUTE = "di.stamps";

    private static final byte FORMAT = 1;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(1);
    private final DataOutputStream out = new DataOutputStream(bytes);

    /** The first and the last stamp of a row's writes. */
    record Stamps(long first, long last) {
        private static final Stamps NONE = new Stamps(0, 0);

        boolean areThere() {
            return !equals(NONE);
        }

        Stamps with(long stamp) {
            return new Stamps(Math.min(first, stamp), Math.max(last, stamp));
        }
    }

    /** So far, of rows whose stamps are their timestamps. */
    WalStamps() {
        bytes.write(FORMAT);
    }

    void add(ImmutableBytesWritable row, long first, long last) {
        try {
            out.writeInt(row.getLength());
            out.write(row.get(), row.getOffset(), row.getLength());
            out.writeLong(first);
            out.writeLong(last);
        } catch (IOException e) {
            throw new UncheckedIOException("A byte array cannot fail", e);
        }
    }

    /** A row whose writes have no stamps. */
    void addWithout(ImmutableBytesWritable row) {
        add(row, Stamps.NONE.first, Stamps.NONE.last);
    }

    void addTo(WALKey key) {
        key.addExtendedAttribute(ATTRIBUTE, bytes.toByteArray());
    }

    /**
     * The stamps that the timestamps do not tell, by row; nothing if the entry has no stamps at all.
     *
     * @throws IOException if the attribute is of another format
     */
    static Optional<Map<ImmutableBytesWritable, Stamps>> of(WALKey key) throws IOException {
        byte[] attribute = key.getExtendedAttribute(ATTRIBUTE);
        if (attribute == null) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(attribute);
        if (!in.hasRemaining() || in.get() != FORMAT) {
            throw new IOException(
                    "A WAL entry has stamps of a format that this version does not know [key=" + key + "]");
        }
        Map<ImmutableBytesWritable, Stamps> stamps = new HashMap<>();
        while (in.hasRemaining()) {
            byte[] row = new byte[in.getInt()];
            in.get(row);
            stamps.put(new ImmutableBytesWritable(row), new Stamps(in.getLong(), in.getLong()));
        }
        return Optional.of(stamps);
    }

    /** Whether the writes of a row have stamps, as its entry in the WAL tells. */
    static boolean areOf(ImmutableBytesWritable row, Optional<Map<ImmutableBytesWritable, Stamps>> logged) {
        return logged.isPresent()
                && (!logged.get().containsKey(row) || logged.get().get(row).areThere());
    }
}
