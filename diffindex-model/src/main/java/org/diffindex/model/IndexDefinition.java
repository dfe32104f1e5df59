package org.diffindex.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What one index is: its name and id, the base table, the columns in the order of the key, the scheme, the split points
 * of the index table and the state. Immutable; kept in the base table's descriptor by {@link IndexDefinitions}.
 *
 * <pre>{@code
 * IndexDefinition.builder(TableName.valueOf("flights"), "by_origin")
 *         .column("f", "origin", ColumnTypes.STRING)
 *         .scheme(IndexScheme.SYNC_FULL)
 *         .build();
 * }</pre>
 */
public final class IndexDefinition {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_-]*");

    private final TableName table;
    private final String name;
    private final List<IndexedColumn> keyColumns;
    private final IndexScheme scheme;
    private final List<byte[]> splitPoints;
    private final IndexState state;
    private final String id;
    private final EntryFormat entryFormat;

    private IndexDefinition(Builder builder, IndexState state, String id) {
        this.table = builder.table;
        this.name = builder.name;
        this.keyColumns = List.copyOf(builder.keyColumns);
        this.scheme = builder.scheme;
        this.splitPoints = builder.splitPoints.stream().map(byte[]::clone).toList();
        this.state = state;
        this.id = id;
        this.entryFormat = new EntryFormat(id);
    }

    /** Starts the definition of an index on a table. The scheme is {@link IndexScheme#SYNC_FULL} unless it is set. */
    public static Builder builder(TableName table, String name) {
        return new Builder(table, name);
    }

    /** The base table. */
    public TableName table() {
        return table;
    }

    /** The index's name, unique among the indexes of its table. */
    public String name() {
        return name;
    }

    /** The columns whose values stand in the key of an entry, in their order there. */
    public List<IndexedColumn> keyColumns() {
        return keyColumns;
    }

    /** The columns of the base row from which its entry is computed. A write of any of them may change the entry. */
    public List<IndexedColumn> readColumns() {
        return keyColumns;
    }

    /** Makes a get read {@link #readColumns}; the same one, for chaining. */
    public Get addReadColumns(Get get) {
        readColumns().forEach(column -> get.addColumn(column.family(), column.qualifier()));
        return get;
    }

    /** Makes a scan read {@link #readColumns}; the same one, for chaining. */
    public Scan addReadColumns(Scan scan) {
        readColumns().forEach(column -> scan.addColumn(column.family(), column.qualifier()));
        return scan;
    }

    public IndexScheme scheme() {
        return scheme;
    }

    /** Whether a write is acknowledged before the index has it. */
    public boolean isAsynchronous() {
        return scheme.isAsynchronous();
    }

    /** The keys at which the index table is split when it is made; ascending. Copies. */
    public byte[][] splitPoints() {
        return splitPoints.stream().map(byte[]::clone).toArray(byte[][]::new);
    }

    public IndexState state() {
        return state;
    }

    /** The HBase table that holds the entries: in the base table's namespace, {@code TABLE.INDEX}. */
    public TableName indexTable() {
        return indexTable(table, name);
    }

    /** The HBase table that holds the entries of an index of that name. */
    public static TableName indexTable(TableName table, String index) {
        return TableName.valueOf(table.getNamespaceAsString(), table.getQualifierAsString() + "." + index);
    }

    /**
     * What tells this index from another one of the same name, made after this one was dropped; empty until the index is
     * created. What the servers have kept for the one is never given to the other.
     */
    public String id() {
        return id;
    }

    /** How its entries lie in the index table. */
    public EntryFormat entryFormat() {
        return entryFormat;
    }

    /** The same index in another state. */
    public IndexDefinition withState(IndexState newState) {
        return new IndexDefinition(copy(), newState, id);
    }

    /** The same definition for an index of its own. */
    public IndexDefinition withId(String newId) {
        return new IndexDefinition(copy(), state, newId);
    }

    private Builder copy() {
        Builder copy = new Builder(table, name);
        copy.keyColumns.addAll(keyColumns);
        copy.scheme = scheme;
        copy.splitPoints.addAll(splitPoints);
        return copy;
    }

    @Override
    public boolean equals(Object other) {
        if (this == other) {
            return true;
        }
        return other instanceof IndexDefinition that
                && table.equals(that.table)
                && name.equals(that.name)
                && keyColumns.equals(that.keyColumns)
                && scheme == that.scheme
                && Arrays.deepEquals(splitPoints(), that.splitPoints())
                && state == that.state
                && id.equals(that.id);
    }

    @Override
    public int hashCode() {
        return Objects.hash(table, name, keyColumns, scheme, state, id);
    }

    @Override
    public String toString() {
        return name + " on " + table + " "
                + keyColumns.stream().map(IndexedColumn::toString).collect(Collectors.joining(",", "(", ")")) + " "
                + scheme
                + " " + state;
    }

    /** Gathers the parts of an {@link IndexDefinition}. Not safe for use by many threads. */
    public static final class Builder {
        private final TableName table;
        private final String name;
        private final List<IndexedColumn> keyColumns = new ArrayList<>();
        private final List<byte[]> splitPoints = new ArrayList<>();
        private IndexScheme scheme = IndexScheme.SYNC_FULL;

        private Builder(TableName table, String name) {
            this.table = Objects.requireNonNull(table, "table");
            this.name = Objects.requireNonNull(name, "name");
        }

        /** Adds the next column of the key. */
        public Builder column(String family, String qualifier, ColumnType type) {
            return column(IndexedColumn.of(family, qualifier, type));
        }

        /** Adds the next column of the key. */
        public Builder column(IndexedColumn column) {
            keyColumns.add(column);
            return this;
        }

        public Builder scheme(IndexScheme scheme) {
            this.scheme = Objects.requireNonNull(scheme, "scheme");
            return this;
        }

        /**
         * Splits the index table at values of the first column, such as {@code "G"} and {@code "P"} for a string. The
         * columns must have been added before.
         *
         * @throws IllegalArgumentException if there is no column yet, or a value does not fit its type
         */
        public Builder splitAt(Object... values) {
            if (keyColumns.isEmpty()) {
                throw new IllegalArgumentException("Add the columns before the split points of index " + name);
            }
            for (Object value : values) {
                ColumnType type = keyColumns.get(0).type();
                splitPoints.add(IndexKeyCodec.encodePrefix(List.of(keyColumns.get(0)), List.of(type.toValue(value))));
            }
            return this;
        }

        /** Splits the index table at encoded keys. */
        public Builder splitAtKeys(byte[]... keys) {
            Collections.addAll(splitPoints, keys);
            return this;
        }

        /**
         * The definition, in state {@link IndexState#BUILDING}.
         *
         * @throws IllegalArgumentException if it has no column, a column twice, or a name that is no HBase table name
         */
        public IndexDefinition build() {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("An index name is made of letters, digits, '_' and '-', and does not"
                        + " begin with '-'; '" + name + "' does not fit");
            }
            if (keyColumns.isEmpty()) {
                throw new IllegalArgumentException(
                        "Index " + name + " on " + table + " has no column; name at least one");
            }
            if (keyColumns.stream().distinct().count() < keyColumns.size()) {
                throw new IllegalArgumentException("Index " + name + " on " + table + " names a column twice");
            }
            splitPoints.sort(Bytes.BYTES_COMPARATOR);
            return new IndexDefinition(this, IndexState.BUILDING, "");
        }
    }
}
