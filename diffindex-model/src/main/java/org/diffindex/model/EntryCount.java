package org.diffindex.model;

import java.util.OptionalLong;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A number of successive entries, in a row of the response to a scan that asks for {@link Aggregate.Count}: row = the key of the
 * last of them, family {@code i}, qualifier {@code n}, timestamp 0, value = the number (8 bytes, big-endian).
 */
public final class EntryCount {
    private static final byte[] QUALIFIER = Bytes.toBytes("n");

    private EntryCount() {}

    /** Returns the cell that stands for a number of entries, the last of which has that key. */
    public static Cell toCell(byte[] lastKey, long entries) {
        return new KeyValue(lastKey, EntryFormat.FAMILY, QUALIFIER, 0, Bytes.toBytes(entries));
    }

    /** Returns how many entries a row of a response stands for; empty if it is none that a region has counted. */
    public static OptionalLong of(Result row) {
        for (Cell cell : row.rawCells()) {
            if (CellUtil.matchingQualifier(cell, QUALIFIER) && cell.getValueLength() == Long.BYTES) {
                return OptionalLong.of(Bytes.toLong(cell.getValueArray(), cell.getValueOffset()));
            }
        }
        return OptionalLong.empty();
    }
}
