package org.diffindex.model;

import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.types.DataType;

/**
 * The types of indexed columns. Expressions:
 *
 * <ul>
 *   <li>{@code bytes}: any bytes, sorted as unsigned bytes.
 *   <li>{@code string}: UTF-8, as written by {@code Bytes.toBytes(String)}; sorted by code point, unlike {@link
 *       String#compareTo}.
 *   <li>{@code int}, {@code long}, {@code double}: as written by {@code Bytes.toBytes}, sorted as numbers; doubles as
 *       {@link Double#compare} does: -0.0 before 0.0, and every NaN, all treated as one value, after positive infinity.
 *   <li>{@code class(org.example.MyType)}: an HBase {@link DataType} with a public no-argument constructor. It decides
 *       which bytes are valid; the index sorts by the cell bytes, which for an order-preserving type is its order.
 *       Several threads share one instance.
 *   <li>{@code struct(int,string,double)#1}: field 1, counted from 0, of a packed ("dense") column as laid out by
 *       HBase's {@link org.apache.hadoop.hbase.types.Struct}: the fields' bytes in sequence, a string other than the
 *       last field terminated by a zero byte.
 *   <li>{@code TYPE:desc}: any of these in descending order, such as {@code long:desc} for the newest first. An index with
 *       such a column has the second {@link IndexFormat}, or a later one.
 * </ul>
 */
public final class ColumnTypes {
    public static final ColumnType BYTES = new BytesType();
    public static final ColumnType STRING = new StringType();
    public static final ColumnType INT = new IntType();
    public static final ColumnType LONG = new LongType();
    public static final ColumnType DOUBLE = new DoubleType();

    private static final List<ColumnType> BUILT_IN = List.of(BYTES, STRING, INT, LONG, DOUBLE);

    /** The part of an expression that names a class. */
    private static final Pattern CLASS = Pattern.compile("class\\(([^()]+)\\)");

    private ColumnTypes() {}

    /**
     * Returns the type that an expression denotes.
     *
     * @throws IllegalArgumentException if the expression denotes no type, or its class cannot be loaded or
     *     instantiated; the message says why
     */
    public static ColumnType parse(String expression) {
        for (ColumnType type : BUILT_IN) {
            if (type.expression().equals(expression)) {
                return type;
            }
        }
        if (expression.endsWith(DescendingType.SUFFIX)) {
            return descending(parse(expression.substring(0, expression.length() - DescendingType.SUFFIX.length())));
        }
        if (expression.startsWith("class(") && expression.endsWith(")")) {
            return new CustomType(expression.substring("class(".length(), expression.length() - 1));
        }
        if (expression.startsWith("struct(")) {
            return StructFieldType.ofExpression(expression);
        }
        throw new IllegalArgumentException("No column type is called '" + expression
                + "'; the types are bytes, string, int, long, double, class(NAME) and struct(TYPE,...)#FIELD,"
                + " each with :desc for descending order");
    }

    /**
     * Returns the type with the same values in descending order.
     *
     * @throws IllegalArgumentException if the type is descending itself
     */
    public static ColumnType descending(ColumnType ascending) {
        return new DescendingType(ascending);
    }

    /** Returns whether the values of a type are a part of their cells, as a field of a packed column is. */
    static boolean isField(ColumnType type) {
        return type.ascending() instanceof StructFieldType;
    }

    /** Returns the users' own classes behind a type, which every process that reads or writes such values needs. */
    public static List<Class<?>> classesOf(ColumnType type) {
        return CLASS.matcher(type.expression())
                .results()
                .<Class<?>>map(found -> CustomType.load(found.group(1)))
                .toList();
    }

    /**
     * Returns the type backed by a user's own {@link DataType}, loaded by its class name.
     *
     * @throws IllegalArgumentException if the class cannot be loaded or instantiated
     */
    public static ColumnType custom(Class<? extends DataType<?>> dataType) {
        return new CustomType(dataType.getName());
    }
}
