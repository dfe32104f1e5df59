package org.diffindex.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The definition of one index: its name and id, the base table, the columns in key order, the scheme, the split points
 * of the index table and the state. Immutable. Stored in the base table's descriptor by {@link IndexDefinitions}.
 *
 * <pre>{@code
 * IndexDefinition.builder(TableName.valueOf("flights"), "by_origin")
 *         .column("f", "origin", ColumnTypes.STRING)
 *         .scheme(IndexScheme.SYNC_FULL)
 *         .build();
 * }</pre>
 */
public final class IndexDefinition {
    private final int format;
    private final TableName table;
    private final String name;
    private final String logicalName;
    private final IndexRole role;
    private final List<IndexedColumn> keyColumns;
    private final IncludedColumns included;
    private final List<ColumnCondition> conditions;
    private final List<IndexedColumn> readColumns;
    private final IndexScheme scheme;
    private final boolean protectedCells;
    private final List<byte[]> splitPoints;
    private final String id;
    private final String change;
    private final EntryFormat entryFormat;
    private final int maxKeyLength;

    private IndexDefinition(Builder builder, String id, String change) {
        this.format = builder.chosenFormat();
        this.table = builder.table;
        this.name = builder.name;
        this.logicalName = GenerationName.of(builder.name).index();
        this.role = builder.role;
        this.keyColumns = List.copyOf(builder.keyColumns);
        this.included = new IncludedColumns(builder.included);
        this.conditions = List.copyOf(builder.conditions);
        this.readColumns = Stream.of(
                        keyColumns.stream(),
                        included.columns().stream(),
                        conditions.stream().map(ColumnCondition::column))
                .flatMap(columns -> columns)
                .distinct()
                .toList();
        this.scheme = builder.scheme;
        this.protectedCells = builder.protectedCells;
        this.splitPoints = builder.splitPoints.stream().map(byte[]::clone).toList();
        this.id = id;
        this.change = change;
        this.entryFormat = new EntryFormat(id, change, included);
        this.maxKeyLength = IndexKeyCodec.maxKeyLength(indexTable());
    }

    /** Returns a builder for an index on a table. The scheme defaults to {@link IndexScheme#SYNC_FULL}. */
    public static Builder builder(TableName table, String name) {
        return new Builder(table, name);
    }

    /** Returns the {@link IndexFormat} of the index. */
    public int format() {
        return format;
    }

    /** Returns the base table. */
    public TableName table() {
        return table;
    }

    /**
     * Returns the name of this {@linkplain GenerationName generation} of the index, unique among the definitions of its base
     * table; servers know the index by it. It differs from {@link #logicalName} once the columns of the index were changed.
     */
    public String name() {
        return name;
    }

    /** Returns the name by which users create, read and drop the index. */
    public String logicalName() {
        return logicalName;
    }

    /** Returns the part that this definition plays for the index of its {@link #logicalName}. */
    public IndexRole role() {
        return role;
    }

    /** Returns the columns whose values form the entry's key, in key order. */
    public List<IndexedColumn> keyColumns() {
        return keyColumns;
    }

    /** Returns the columns whose values the entries include besides those of the key; none for most indexes. */
    public IncludedColumns included() {
        return included;
    }

    /** Returns the conditions that a row satisfies, all of them, if it has an entry; none for most indexes. */
    public List<ColumnCondition> conditions() {
        return conditions;
    }

    /**
     * Returns the columns of the base row from which its entry is computed. A write to any of them may change the
     * entry.
     */
    public List<IndexedColumn> readColumns() {
        return readColumns;
    }

    /** Adds {@link #readColumns} to a get; returns the same get. */
    public Get addReadColumns(Get get) {
        readColumns().forEach(column -> get.addColumn(column.family(), column.qualifier()));
        return get;
    }

    /** Adds {@link #readColumns} to a scan; returns the same scan. */
    public Scan addReadColumns(Scan scan) {
        readColumns().forEach(column -> scan.addColumn(column.family(), column.qualifier()));
        return scan;
    }

    public IndexScheme scheme() {
        return scheme;
    }

    /**
     * Returns whether cells with an ACL or a visibility label of their own are indexed, too. If not, a row has no entry while
     * one of its indexed columns shows such a cell.
     */
    public boolean indexesProtectedCells() {
        return protectedCells;
    }

    /** Returns whether a write is acknowledged before the index is updated. */
    public boolean isAsynchronous() {
        return scheme.isAsynchronous();
    }

    /**
     * Returns copies of the keys at which the index table is pre-split. {@link Builder#build} sorts them in ascending
     * order.
     */
    public byte[][] splitPoints() {
        return splitPoints.stream().map(byte[]::clone).toArray(byte[][]::new);
    }

    /** Returns the HBase table that holds the entries: {@code TABLE.INDEX} in the base table's namespace. */
    public TableName indexTable() {
        return indexTable(table, name);
    }

    /** Returns the HBase table that holds the entries of an index with that name. */
    public static TableName indexTable(TableName table, String index) {
        return TableName.valueOf(table.getNamespaceAsString(), table.getQualifierAsString() + "." + index);
    }

    /** Returns the length, in bytes, of the longest key that an entry can have. */
    public int maxKeyLength() {
        return maxKeyLength;
    }

    /**
     * Returns the id that distinguishes this index from any other index of the same name, created after this one was
     * dropped; empty until the index is created. Updates that servers hold for one of them are never applied to the
     * other.
     */
    public String id() {
        return id;
    }

    /** Returns the format of the entries in the index table. */
    public EntryFormat entryFormat() {
        return entryFormat;
    }

    /**
     * Returns the change of the scheme by which the index has the present one ({@link SchemeState#change}); empty if it has
     * the scheme with which it was created. The updates that servers send name it, and {@linkplain #equals equal}
     * definitions may have different ones.
     */
    public String change() {
        return change;
    }

    /** Returns a copy of this definition with another id, whose scheme has never changed. */
    public IndexDefinition withId(String newId) {
        return new IndexDefinition(copy(), newId, "");
    }

    /** Returns a copy of this definition, of the same index, with another scheme. */
    public IndexDefinition withScheme(IndexScheme newScheme) {
        return new IndexDefinition(copy().scheme(newScheme), id, change);
    }

    /** Returns a copy of this definition that has its scheme by a {@linkplain #change change}. */
    public IndexDefinition withChange(String newChange) {
        return new IndexDefinition(copy(), id, newChange);
    }

    /** Returns a copy of this definition, of the same index, with another role. */
    public IndexDefinition withRole(IndexRole newRole) {
        Builder copy = copy();
        copy.role = newRole;
        return new IndexDefinition(copy, id, change);
    }

    /**
     * Returns the definition, without an id, of the {@linkplain IndexRole#SHADOW shadow} by which an index gets what this
     * definition says of columns, included columns, protected cells, split points and format. It has the name of the generation after the
     * present one, and the scheme of that.
     *
     * @param present the definition of the index that is in service
     * @throws IllegalArgumentException if the name would be too long for an index or a table
     */
    public IndexDefinition asShadowOf(IndexDefinition present) {
        Builder copy = copy(GenerationName.of(present.name).next().toString());
        copy.scheme = present.scheme;
        copy.role = IndexRole.SHADOW;
        IndexDefinition shadow = copy.buildStored();
        copy.check.requireShort();
        return shadow;
    }

    /**
     * Returns whether two definitions say the same of all that only a {@linkplain #asShadowOf shadow} can change: columns,
     * protected cells, split points and format.
     */
    public boolean hasShapeOf(IndexDefinition that) {
        return format == that.format
                && keyColumns.equals(that.keyColumns)
                && included.equals(that.included)
                && conditions.equals(that.conditions)
                && protectedCells == that.protectedCells
                && Arrays.deepEquals(splitPoints(), that.splitPoints());
    }

    private Builder copy() {
        return copy(name);
    }

    private Builder copy(String newName) {
        Builder copy = new Builder(table, newName);
        copy.role = role;
        copy.format = OptionalInt.of(format);
        copy.keyColumns.addAll(keyColumns);
        copy.included.addAll(included.columns());
        copy.conditions.addAll(conditions);
        copy.scheme = scheme;
        copy.protectedCells = protectedCells;
        copy.splitPoints.addAll(splitPoints);
        return copy;
    }

    @Override
    public boolean equals(Object other) {
        if (this == other) {
            return true;
        }
        return other instanceof IndexDefinition that
                && hasShapeOf(that)
                && table.equals(that.table)
                && name.equals(that.name)
                && role == that.role
                && scheme == that.scheme
                && id.equals(that.id);
    }

    @Override
    public int hashCode() {
        return Objects.hash(table, name, keyColumns, scheme, id);
    }

    @Override
    public String toString() {
        return name + " on " + table + " "
                + keyColumns.stream().map(IndexedColumn::toString).collect(Collectors.joining(",", "(", ")")) + " "
                + scheme + (included.isEmpty() ? "" : " including (" + included + ")")
                + (conditions.isEmpty() ? "" : " where " + conditions)
                + (format == IndexFormat.FIRST ? "" : ", format " + format);
    }

    /** Builds an {@link IndexDefinition}. Not thread-safe. */
    public static final class Builder {
        private final TableName table;
        private final String name;
        private final List<IndexedColumn> keyColumns = new ArrayList<>();
        private final List<IndexedColumn> included = new ArrayList<>();
        private final List<ColumnCondition> conditions = new ArrayList<>();
        private final List<byte[]> splitPoints = new ArrayList<>();
        private IndexScheme scheme = IndexScheme.SYNC_FULL;
        private boolean protectedCells;
        private IndexRole role = IndexRole.IN_SERVICE;

        /** Empty for the first that describes the index. */
        private OptionalInt format = OptionalInt.empty();

        private final DefinitionCheck check;

        private Builder(TableName table, String name) {
            this.table = Objects.requireNonNull(table, "table");
            this.name = Objects.requireNonNull(name, "name");
            this.check = new DefinitionCheck(table, name);
        }

        /** Appends a column to the key. */
        public Builder column(String family, String qualifier, ColumnType type) {
            return column(IndexedColumn.of(family, qualifier, type));
        }

        /** Appends a column to the key. */
        public Builder column(IndexedColumn column) {
            keyColumns.add(column);
            return this;
        }

        /** Includes a column in the entries, so that {@code IndexHit.included} shows it without a read of the row. */
        public Builder include(String family, String qualifier, ColumnType type) {
            return include(IndexedColumn.of(family, qualifier, type));
        }

        /**
         * Includes a column in the entries: its cells of up to {@link IncludedColumns#MOST_BYTES} bytes. Its type formats
         * them as text, and refuses none.
         */
        public Builder include(IndexedColumn column) {
            included.add(column);
            return this;
        }

        /** Restricts the index to rows that satisfy a condition, and all others that are given. */
        public Builder where(ColumnCondition condition) {
            conditions.add(condition);
            return this;
        }

        public Builder scheme(IndexScheme scheme) {
            this.scheme = Objects.requireNonNull(scheme, "scheme");
            return this;
        }

        /**
         * Indexes cells with an ACL or a visibility label of their own, too: their values can be read by everybody who may read
         * the columns, or the index. By default they are not indexed.
         */
        public Builder indexProtectedCells() {
            protectedCells = true;
            return this;
        }

        /**
         * Gives the index a format; by default it has the {@linkplain IndexFormat#FIRST first} that has what the definition
         * uses. The master admits a later one than the first only when all region servers know it, and clients of earlier
         * builds cannot read the index.
         *
         * @throws IllegalArgumentException if this build does not know the format
         */
        public Builder format(int format) {
            check.requireKnown(format);
            this.format = OptionalInt.of(format);
            return this;
        }

        private int chosenFormat() {
            return format.orElse(neededFormat());
        }

        private int neededFormat() {
            boolean isOfAKind = keyColumns.stream().anyMatch(IndexedColumn::isDescending)
                    || !included.isEmpty()
                    || !conditions.isEmpty();
            return isOfAKind ? IndexFormat.KINDS : IndexFormat.FIRST;
        }

        /**
         * Splits the index table at values of the first key column, such as {@code "G"} and {@code "P"} for a string.
         * Add the columns first.
         *
         * @throws IllegalArgumentException if no column has been added, or a value does not fit the first column's type
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

        /** Splits the index table at encoded keys. The arrays are not copied before {@link #build}. */
        public Builder splitAtKeys(byte[]... keys) {
            Collections.addAll(splitPoints, keys);
            return this;
        }

        /**
         * Returns the definition, without an id.
         *
         * @throws IllegalArgumentException if the name is not made of letters, digits, {@code _} and {@code -}, begins
         *     with {@code -}, is longer than 127 characters, or makes the name of the index table longer than 255
         *     bytes; if there is no column, or if a column occurs twice
         * @throws InvalidDefinitionException if an included column is in the key, no row can satisfy the conditions, or the
         *     format is too early
         */
        public IndexDefinition build() {
            check.requireFirstGeneration();
            IndexDefinition definition = buildStored();
            check.requireShort();
            return definition;
        }

        /** Gives the definition a role; by default it is in service. */
        Builder role(IndexRole role) {
            this.role = role;
            return this;
        }

        /** Returns the definition of an index that exists already, of any generation, whatever the length of its name. */
        IndexDefinition buildStored() {
            check.requireName();
            check.requireKey(keyColumns);
            check.requireIncluded(included, keyColumns);
            check.requireConditions(conditions, keyColumns);
            check.requireFormat(chosenFormat(), neededFormat());
            splitPoints.sort(Bytes.BYTES_COMPARATOR);
            return new IndexDefinition(this, "", "");
        }
    }
}
