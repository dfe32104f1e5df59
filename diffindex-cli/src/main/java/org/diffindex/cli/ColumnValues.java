package org.diffindex.cli;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.SimplePositionedByteRange;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexedColumn;

/** Values of indexed columns as text, by the columns' types. */
final class ColumnValues {
    private ColumnValues() {}

    /** {@code family:qualifier}, as the HBase shell writes it. */
    static String nameOf(IndexedColumn column) {
        return nameOf(column.family(), column.qualifier());
    }

    static String nameOf(byte[] family, byte[] qualifier) {
        return Bytes.toStringBinary(family) + ":" + Bytes.toStringBinary(qualifier);
    }

    /**
     * The value bytes that a text names.
     *
     * @throws IllegalArgumentException if it names no value of the column's type; the message names both
     */
    static byte[] parse(IndexedColumn column, String text) {
        try {
            return column.type().parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no value of column " + nameOf(column) + ", which is of type " + column.type()
                            + " (" + e.getMessage() + ")",
                    e);
        }
    }

    /**
     * The value bytes of the texts, which stand for columns of an index from the one at {@code first} on.
     *
     * @throws IllegalArgumentException if there are more texts than columns, or one names no value of its column
     */
    static List<byte[]> parse(IndexDefinition definition, int first, List<String> texts) {
        List<IndexedColumn> columns = definition.keyColumns();
        if (first + texts.size() > columns.size()) {
            throw new IllegalArgumentException("Index " + definition.name() + " has "
                    + (columns.size() == 1 ? "one column" : columns.size() + " columns") + ", "
                    + columns.stream().map(ColumnValues::nameOf).toList()
                    + ", and more values than that were given; nothing was read; leave out the last of "
                    + texts);
        }
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            values.add(parse(columns.get(first + i), texts.get(i)));
        }
        return values;
    }

    /** The first column's value at which an index table is split; the key itself if it is no such value. */
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

    /** Whether the type's text is that of bytes, which has its own escapes. */
    static boolean isBinary(IndexedColumn column) {
        return column.type().equals(ColumnTypes.BYTES);
    }
}
