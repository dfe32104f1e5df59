package org.diffindex.cli;

import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.SimplePositionedByteRange;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexedColumn;

/** Converts values of indexed columns from and to text, by the columns' types. */
final class ColumnValues {
    private ColumnValues() {}

    /** Returns {@code family:qualifier}, as the HBase shell writes it. */
    static String nameOf(IndexedColumn column) {
        return nameOf(column.family(), column.qualifier());
    }

    static String nameOf(byte[] family, byte[] qualifier) {
        return Bytes.toStringBinary(family) + ":" + Bytes.toStringBinary(qualifier);
    }

    /**
     * Returns the value bytes of a text.
     *
     * @throws IllegalArgumentException if the text is not a value of the column's type; the message names both
     */
    static byte[] parse(IndexedColumn column, String text) {
        try {
            return column.type().parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a value of column " + nameOf(column) + " of type " + column.type() + " ("
                            + e.getMessage() + ")",
                    e);
        }
    }

    /**
     * Returns the value of the first column at which an index table is split; the key itself, in binary notation, if it
     * is not such a value.
     */
    static String ofSplitPoint(IndexDefinition definition, byte[] key) {
        IndexedColumn first = definition.keyColumns().get(0);
        SimplePositionedByteRange source = new SimplePositionedByteRange(key);
        try {
            byte[] value = first.type().decode(source);
            return source.getRemaining() == 0 ? first.type().format(value) : Bytes.toStringBinary(key);
        } catch (RuntimeException e) {
            return Bytes.toStringBinary(key);
        }
    }
}
