package org.diffindex.model;

import java.util.Arrays;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * One entry of an index: its row key in the index table, the timestamp of the base row it represents and, of a covering index, the
 * values that it includes. Immutable.
 */
public final class IndexEntry {
    private static final byte[] NOTHING = new byte[0];

    /** Distributes the bits of timestamps, which differ little, over all 64. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /** The prime of the hash FNV-1a. */
    private static final long PRIME = 0x100000001B3L;

    private final byte[] key;
    private final long timestamp;
    private final byte[] included;

    /**
     * Creates an entry.
     *
     * @param key the index table's row key, as encoded by {@link IndexKeyCodec}; not copied, must not be modified
     * @param timestamp the newest timestamp among the indexed cells of the base row, in milliseconds
     */
    public IndexEntry(byte[] key, long timestamp) {
        this(key, timestamp, NOTHING);
    }

    /**
     * Creates an entry of a covering index.
     *
     * @param key the index table's row key, as encoded by {@link IndexKeyCodec}; not copied, must not be modified
     * @param timestamp the newest timestamp among the indexed and included cells of the base row, in milliseconds
     * @param included the included values, as encoded by {@link IncludedColumns}; not copied, must not be modified
     */
    IndexEntry(byte[] key, long timestamp, byte[] included) {
        this.key = key;
        this.timestamp = timestamp;
        this.included = included;
    }

    /** Returns the included values as {@link IncludedColumns#decode} reads them; empty if the index includes none. */
    public byte[] included() {
        return included;
    }

    /** Returns an entry of the same key and timestamp that holds no included values in memory. */
    public IndexEntry withoutIncluded() {
        return included.length == 0 ? this : new IndexEntry(key, timestamp);
    }

    /** Returns the index table's row key; not a copy, must not be modified. */
    public byte[] key() {
        return key;
    }

    /** Returns the newest timestamp among the indexed and included cells of the base row, in milliseconds. */
    public long timestamp() {
        return timestamp;
    }

    /** Returns whether both entries have the same key, whatever their timestamps. */
    public boolean sameKey(IndexEntry other) {
        return Arrays.equals(key, other.key);
    }

    /**
     * Returns whether this entry is equal to another entry at the same key, or its timestamp is newer. The keys are not compared.
     * A row that loses an included cell may keep its timestamp: entries of one timestamp with other included values tell
     * nothing about their order.
     */
    public boolean isAsNewAs(IndexEntry other) {
        return timestamp > other.timestamp || sameContent(other);
    }

    private boolean sameContent(IndexEntry other) {
        return timestamp == other.timestamp && Arrays.equals(included, other.included);
    }

    /**
     * Returns 64 bits that distinguish unequal entries at the same key: the timestamp or, if the entry includes values, a hash
     * of both. Clients send it to servers, so that it must not change.
     */
    public long fingerprint() {
        if (included.length == 0) {
            return timestamp;
        }
        long hash = timestamp * SPREAD;
        for (byte each : included) {
            hash = (hash ^ (each & 0xFF)) * PRIME;
        }
        return hash;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IndexEntry that && sameContent(that) && sameKey(that);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(key) + Long.hashCode(fingerprint());
    }

    @Override
    public String toString() {
        return Bytes.toStringBinary(key) + "@" + timestamp
                + (included.length == 0 ? "" : " with " + Bytes.toStringBinary(included));
    }
}
