package org.diffindex.model;

import java.util.Arrays;
import org.apache.hadoop.hbase.util.Bytes;

/** One entry of an index: its row key in the index table, and the time of the base row that it stands for. Immutable. */
public final class IndexEntry {
    private final byte[] key;
    private final long timestamp;

    /**
     * An entry at a key.
     *
     * @param key the index table's row key, made by {@link IndexKeyCodec}; not copied, so not to be changed
     * @param timestamp the newest timestamp among the indexed cells of the base row, in milliseconds
     */
    public IndexEntry(byte[] key, long timestamp) {
        this.key = key;
        this.timestamp = timestamp;
    }

    /** The index table's row key; not a copy, so not to be changed. */
    public byte[] key() {
        return key;
    }

    /** The newest timestamp among the indexed cells of the base row, in milliseconds. */
    public long timestamp() {
        return timestamp;
    }

    /** Whether both stand at the same key, whatever their timestamps. */
    public boolean sameKey(IndexEntry other) {
        return Arrays.equals(key, other.key);
    }

    /** Whether this entry was made by the write of the row that made another one at the same key, or by a later one. */
    public boolean isAsNewAs(IndexEntry other) {
        return timestamp >= other.timestamp;
    }

    /** 64 bits in which entries at one key differ that are not equal. */
    public long fingerprint() {
        return timestamp;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IndexEntry that && timestamp == that.timestamp && sameKey(that);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(key) + Long.hashCode(timestamp);
    }

    @Override
    public String toString() {
        return Bytes.toStringBinary(key) + "@" + timestamp;
    }
}
