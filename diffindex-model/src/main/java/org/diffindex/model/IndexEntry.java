package org.diffindex.model;

import java.util.Arrays;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * One entry of an index: its row key in the index table, and the timestamp of the base row it represents. Immutable.
 */
public final class IndexEntry {
    private final byte[] key;
    private final long timestamp;

    /**
     * Creates an entry.
     *
     * @param key the index table's row key, as encoded by {@link IndexKeyCodec}; not copied, must not be modified
     * @param timestamp the newest timestamp among the indexed cells of the base row, in milliseconds
     */
    public IndexEntry(byte[] key, long timestamp) {
        this.key = key;
        this.timestamp = timestamp;
    }

    /** Returns the index table's row key; not a copy, must not be modified. */
    public byte[] key() {
        return key;
    }

    /** Returns the newest timestamp among the indexed cells of the base row, in milliseconds. */
    public long timestamp() {
        return timestamp;
    }

    /** Returns whether both entries have the same key, whatever their timestamps. */
    public boolean sameKey(IndexEntry other) {
        return Arrays.equals(key, other.key);
    }

    /**
     * Returns whether this entry's timestamp is equal to or newer than that of another entry at the same key. The keys
     * are not compared.
     */
    public boolean isAsNewAs(IndexEntry other) {
        return timestamp >= other.timestamp;
    }

    /** Returns 64 bits that distinguish unequal entries at the same key. */
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
