package org.diffindex.client;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.util.PositionedByteRange;
import org.apache.hadoop.hbase.util.SimplePositionedMutableByteRange;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexedColumn;

/** How many hits of a query have the same values in the first columns of its index. Immutable; its arrays must not be modified. */
public final class GroupCount {
    private final List<IndexedColumn> columns;
    private final List<byte[]> values;
    private final long hits;

    private GroupCount(List<IndexedColumn> columns, List<byte[]> values, long hits) {
        this.columns = List.copyOf(columns);
        this.values = List.copyOf(values);
        this.hits = hits;
    }

    /**
     * Creates the count of a group.
     *
     * @param beginning the key bytes of the group's values, nothing else
     */
    static GroupCount of(IndexDefinition definition, byte[] beginning, long hits) {
        PositionedByteRange source = new SimplePositionedMutableByteRange(beginning);
        List<IndexedColumn> columns = new ArrayList<>();
        List<byte[]> values = new ArrayList<>();
        while (source.getRemaining() > 0) {
            IndexedColumn column = definition.keyColumns().get(columns.size());
            columns.add(column);
            values.add(column.type().decode(source));
        }
        return new GroupCount(columns, values, hits);
    }

    /** Returns the columns that make the group, the first ones of the index. */
    public List<IndexedColumn> columns() {
        return columns;
    }

    /** Returns the value bytes of the columns that make the group, in the order of the index's columns. */
    public List<byte[]> values() {
        return values;
    }

    /** Returns how many hits have these values; at least 1. */
    public long count() {
        return hits;
    }

    /** Returns the values as text, each formatted by its column's type. */
    public List<String> text() {
        List<String> texts = new ArrayList<>(values.size());
        for (int i = 0; i < values.size(); i++) {
            texts.add(columns.get(i).type().format(values.get(i)));
        }
        return texts;
    }

    @Override
    public String toString() {
        return text() + ": " + hits;
    }
}
