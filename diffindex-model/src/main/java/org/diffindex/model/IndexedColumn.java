package org.diffindex.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * One column of an index: the location of its cells in the base table, and the type that reads their bytes. Immutable.
 */
public final class IndexedColumn {
    /** The separators between the parts of a column and between the columns of a list. */
    private static final String PUNCTUATION = ":,() ";

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
     * Returns a column of that family and qualifier; both arrays are copied.
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
     * Parses {@code family:qualifier} or {@code family:qualifier:type}; the type defaults to {@code string}, and
     * ends with {@code :desc} for descending order. In a
     * family or qualifier, {@code \xNN} denotes a byte; a colon is written {@code \x3A}.
     *
     * @throws IllegalArgumentException if the text is not of that form
     */
    public static IndexedColumn parse(String text) {
        String[] parts = parts(text);
        ColumnType type = parts.length == 3 ? ColumnTypes.parse(parts[2]) : ColumnTypes.STRING;
        return of(BinaryText.parse(parts[0]), BinaryText.parse(parts[1]), type);
    }

    /** Parses a column like {@link #parse}, but for its type, for which it takes bytes. */
    static IndexedColumn parseUntyped(String text) {
        String[] parts = parts(text);
        return of(BinaryText.parse(parts[0]), BinaryText.parse(parts[1]), ColumnTypes.BYTES);
    }

    private static String[] parts(String text) {
        String[] parts = text.split(":", 3);
        if (parts.length < 2 || parts[0].isEmpty()) {
            throw new IllegalArgumentException("A column is written family:qualifier[:type], not '" + text + "'");
        }
        return parts;
    }

    /**
     * Parses columns separated by commas, each as in {@link #parse}, such as {@code
     * f:origin,f:packed:struct(int,string)#1}. A comma inside parentheses does not separate columns; blanks around a
     * column are ignored.
     *
     * @throws IllegalArgumentException if a part is not a column, or the parentheses do not match
     */
    public static List<IndexedColumn> parseList(String text) {
        List<IndexedColumn> columns = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i < text.length() && depth >= 0; i++) {
            char c = text.charAt(i);
            if (c == '(') {
                depth++;
            } else if (c == ')') {
                depth--;
            } else if (c == ',' && depth == 0) {
                columns.add(parse(text.substring(start, i).strip()));
                start = i + 1;
            }
        }
        if (depth != 0) {
            throw new IllegalArgumentException("The parentheses do not match in '" + text
                    + "'; one that belongs to a qualifier is written \\x28 or \\x29");
        }
        columns.add(parse(text.substring(start).strip()));
        return columns;
    }

    /** Returns a copy of the column family. */
    public byte[] family() {
        return family.clone();
    }

    /** Returns a copy of the column qualifier. */
    public byte[] qualifier() {
        return qualifier.clone();
    }

    public ColumnType type() {
        return type;
    }

    /** Returns whether the index sorts by this column in descending order. */
    public boolean isDescending() {
        return type.ascending() != type;
    }

    /** Returns whether the cells of this column have that family and qualifier. */
    boolean isColumn(byte[] otherFamily, byte[] otherQualifier) {
        return Arrays.equals(family, otherFamily) && Arrays.equals(qualifier, otherQualifier);
    }

    /** Returns whether another column has the same cells, of whichever types both are. */
    boolean hasCellsOf(IndexedColumn other) {
        return isColumn(other.family, other.qualifier);
    }

    /** Returns whether a cell belongs to this column. */
    public boolean matches(Cell cell) {
        return CellUtil.matchingColumn(cell, family, qualifier);
    }

    /**
     * Returns whether this column has a name: {@code family:qualifier:type} as {@link #toString} writes it, {@code
     * family:qualifier}, or {@code qualifier}. A name may be that of several columns of an index.
     */
    public boolean isNamed(String name) {
        if (name.indexOf(':') < 0) {
            return name.equals(BinaryText.format(qualifier, PUNCTUATION));
        }
        String text = toString();
        return text.equals(name) || text.equals(name + ":" + type);
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

    /** Returns {@code family:qualifier:type}, which {@link #parse} reads back. */
    @Override
    public String toString() {
        return BinaryText.format(family, PUNCTUATION) + ":" + BinaryText.format(qualifier, PUNCTUATION) + ":" + type;
    }
}
