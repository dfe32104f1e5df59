package org.diffindex.client;

import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.KeyOrder;

/**
 * A range of index row keys, compared as unsigned bytes. Pure and immutable; its arrays must not be modified.
 *
 * @param start the first key, inclusive; empty for the index's beginning
 * @param stop the end, exclusive; empty for the index's end
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record KeyRange(byte[] start, byte[] stop) {
    /** The range without keys. */
    static final KeyRange NOTHING = new KeyRange(new byte[1], new byte[1]);

    /** Returns whether no key lies in the range. */
    boolean isEmpty() {
        return stop.length > 0 && Bytes.compareTo(start, stop) >= 0;
    }

    boolean contains(byte[] key) {
        return Bytes.compareTo(key, start) >= 0 && (stop.length == 0 || Bytes.compareTo(key, stop) < 0);
    }

    /** Returns what a scan in a direction has still to read of this range when it has read a key, perhaps nothing. */
    KeyRange after(byte[] key, ScanDirection direction) {
        if (direction == ScanDirection.REVERSE) {
            boolean isWithin = stop.length == 0 || Bytes.compareTo(key, stop) < 0;
            return isWithin ? new KeyRange(start, key) : this;
        }
        byte[] next = KeyOrder.firstAfter(key);
        if (next.length == 0) {
            return NOTHING;
        }
        return Bytes.compareTo(next, start) > 0 ? new KeyRange(next, stop) : this;
    }

    /** Returns this range in the notation of the HBase shell: {@code [a, b)}; an open end is left out. */
    @Override
    public String toString() {
        return "[" + Bytes.toStringBinary(start) + ", " + Bytes.toStringBinary(stop) + ")";
    }
}
