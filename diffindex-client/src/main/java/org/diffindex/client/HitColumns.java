package org.diffindex.client;

import java.util.List;
import java.util.stream.Collectors;
import org.diffindex.client.HitColumnException.Reason;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexedColumn;

/** Finds the values of hits by the names of their columns, and decodes them by their types. */
final class HitColumns {
    private HitColumns() {}

    /**
     * Returns the position, in the key of an index, of the column of a name ({@link IndexedColumn#isNamed}).
     *
     * @throws HitColumnException if the index has no such column, or several
     */
    static int position(IndexDefinition index, String name) {
        List<IndexedColumn> columns = index.keyColumns();
        int found = -1;
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).isNamed(name)) {
                if (found >= 0) {
                    throw new HitColumnException(Reason.AMBIGUOUS, ambiguous(index, name));
                }
                found = i;
            }
        }
        if (found < 0) {
            throw new HitColumnException(
                    Reason.UNKNOWN,
                    "The hits of " + nameOf(index) + " have no column '" + name + "'; its columns are " + list(columns)
                            + "; name one of them, or build the query with withRows for another one");
        }
        return found;
    }

    /**
     * Returns the value at a position of the key.
     *
     * @throws HitColumnException if the column's type decodes it to no value of the class
     */
    static <T> T value(IndexDefinition index, int position, byte[] value, Class<T> type) {
        IndexedColumn column = index.keyColumns().get(position);
        Object decoded = column.type().toObject(value);
        if (!type.isInstance(decoded)) {
            String actual = decoded == null ? "null" : decoded.getClass().getSimpleName();
            throw new HitColumnException(
                    Reason.OTHER_TYPE,
                    "Column " + column + " of " + nameOf(index) + " is no " + type.getSimpleName()
                            + ": a value of type " + column.type() + " is read as " + actual
                            + "; read it as that, or its bytes with getBytes");
        }
        return type.cast(decoded);
    }

    private static String ambiguous(IndexDefinition index, String name) {
        List<IndexedColumn> named = index.keyColumns().stream()
                .filter(column -> column.isNamed(name))
                .toList();
        return "Several columns of " + nameOf(index) + " are called '" + name + "'; name one of them: " + list(named);
    }

    private static String nameOf(IndexDefinition index) {
        return "index " + index.logicalName() + " of table " + index.table();
    }

    private static String list(List<IndexedColumn> columns) {
        return columns.stream().map(IndexedColumn::toString).collect(Collectors.joining(", "));
    }
}
