package org.diffindex.model;

import java.util.List;
import org.apache.hadoop.hbase.types.DataType;

/**
 * The types that an indexed column can have. Expressions:
 *
 * <ul>
 *   <li>{@code bytes}: any bytes, sorted as unsigned bytes.
 *   <li>{@code string}: UTF-8, sorted by code point (not as {@link String#compareTo}); written by {@code Bytes.toBytes(String)}.
 *   <li>{@code int}, {@code long}, {@code double}: as {@code Bytes.toBytes} writes them, sorted as numbers; doubles as
 *       {@link Double#compare} does: -0.0 before 0.0, and every NaN, all of them one value, after positive infinity.
 *   <li>{@code class(org.example.MyType)}: an HBase {@link DataType} with a public constructor without arguments, which
 *       says what is decodable; the index sorts by its bytes, which for a type that preserves order is its order.
 *   <li>{@code struct(int,string,double)#1}: field 1, counted from 0, of a packed ("dense") column as HBase's
 *       {@link org.apache.hadoop.hbase.types.Struct} lays it out: the fields' bytes one after the other, a string that
 *       is not last closed by a zero byte.
 * </ul>
 */
public final class ColumnTypes {
    public static final ColumnType BYTES = new BytesType();
    public static final ColumnType STRING = new StringType();
    public static final ColumnType INT = new IntType();
    public static final ColumnType LONG = new LongType();
    public static final ColumnType DOUBLE = new DoubleType();

    private static final List<ColumnType> BUILT_IN = List.of(BYTES, STRING, INT, LONG, DOUBLE);

    private ColumnTypes() {}

    /**
     * The type that an expression names.
     *
     * @throws IllegalArgumentException if the expression names none; the message says what can be named
     */
    public static ColumnType parse(String expression) {
        for (ColumnType type : BUILT_IN) {
            if (type.expression().equals(expression)) {
                return type;
            }
        }
        if (expression.startsWith("class(") && expression.endsWith(")")) {
            return new CustomType(expression.substring("class(".length(), expression.length() - 1));
        }
        if (expression.startsWith("struct(")) {
            return StructFieldType.ofExpression(expression);
        }
        throw new IllegalArgumentException("No column type is called '" + expression
                + "'; the types are bytes, string, int, long, double, class(NAME) and struct(TYPE,...)#FIELD");
    }

    /** The type that reads with a user's own {@link DataType}. */
    public static ColumnType custom(Class<? extends DataType<?>> dataType) {
        return new CustomType(dataType.getName());
    }
}
