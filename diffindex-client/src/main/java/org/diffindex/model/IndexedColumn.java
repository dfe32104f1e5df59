package org.diffindex.model;

import java.util.Arrays;
import org.apache.hadoop.hbase.util.Bytes;

/** One column of an index: where its cells are in the base table, and how their bytes are read. Immutable. */
public final class IndexedColumn {
    private final byte[] family;
    private final byte[] qualifier;
    private final ColumnType type;

    private IndexedColumn(byte[] family, byte[] qualifier, ColumnType type) {
        this.family = family;
        this.qualifier = qualifier;
        this.type = type;
    }

    public static IndexedColumn of(String family, String qualifier, ColumnType type) {
        return of(Bytes.toBytes(family), Bytes.toBytes(qualifier), type);
    }

    /**
     * A column by its bytes, which are copied.
     *
     * @throws IllegalArgumentException if the family is empty; an empty qualifier is allowed, as in HBase
     */
    public static IndexedColumn of(byte[] family, byte[] qualifier, ColumnType type) {
        if (family.length == 0) {
            throw new IllegalArgumentException("An indexed column needs a column family");
        }
        return new IndexedColumn(family.clone(), qualifier.clone(), type);
    }

    /**
     * Reads {@code family:qualifier} or {@code family:qualifier:type}; without a type the column holds {@code string}.
     *
     * @throws IllegalArgumentException if the text is not of that form
     */
    public static IndexedColumn parse(String text) {
        String[] parts = text.split(":", 3);
        if (parts.length < 2 || parts[0].isEmpty()) {
            throw new IllegalArgumentException("A column is written family:qualifier[:type], not '" + text + "'");
        }
        ColumnType type = parts.length == 3 ? ColumnTypes.parse(parts[2]) : ColumnTypes.STRING;
        return of(Bytes.toBytesBinary(parts[0]), Bytes.toBytesBinary(parts[1]), type);
    }

    /** The column family; a copy. */
    public byte[] family() {
        return family.clone();
    }

    /** The column qualifier; a copy. */
    public byte[] qualifier() {
        return qualifier.clone();
    }

    public ColumnType type() {
        return type;
    }

    byte[] familyBytes() {
        return family;
    }

    byte[] qualifierBytes() {
        return qualifier;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IndexedColumn that
                && Arrays.equals(family, that.family)
                && Arrays.equals(qualifier, that.qualifier)
                && type.equals(that.type);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(family) + Arrays.hashCode(qualifier);
    }

    /** {@code family:qualifier:type}, which {@link #parse} reads back. */
    @Override
    public String toString() {
        return Bytes.toStringBinary(family) + ":" + Bytes.toStringBinary(qualifier) + ":" + type;
    }
}
