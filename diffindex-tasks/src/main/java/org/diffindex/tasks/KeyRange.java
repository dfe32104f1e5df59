package org.diffindex.tasks;

import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The rows of a table from a start key to an end key. The arrays are not copied.
 *
 * @param start the first key, inclusive; empty for the table's start
 * @param end the last key, exclusive; empty for the table's end
 */
@SuppressWarnings("ArrayRecordComponent") // keys are arrays throughout HBase; ranges are not compared
public record KeyRange(byte[] start, byte[] end) {
    /** All rows of a table. */
    public static final KeyRange ALL = new KeyRange(HConstants.EMPTY_START_ROW, HConstants.EMPTY_END_ROW);

    /** Returns whether the range ends at or before a key, as the end of a range; empty for the table's end. */
    public boolean endsBy(byte[] key) {
        return key.length == 0 || (end.length > 0 && Bytes.compareTo(key, end) >= 0);
    }

    /** Returns whether the range ends at or before a row. */
    public boolean endsBefore(byte[] row) {
        return end.length > 0 && Bytes.compareTo(end, row) <= 0;
    }

    @Override
    public String toString() {
        return "['" + Bytes.toStringBinary(start) + "', '" + Bytes.toStringBinary(end) + "')";
    }
}
