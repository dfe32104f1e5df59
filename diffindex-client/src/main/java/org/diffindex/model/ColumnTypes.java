package org.diffindex.model;

import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.types.DataType;
import org.apache.hadoop.hbase.types.RawBytes;
import org.apache.hadoop.hbase.types.RawDouble;
import org.apache.hadoop.hbase.types.RawInteger;
import org.apache.hadoop.hbase.types.RawLong;
import org.apache.hadoop.hbase.types.RawString;
import org.apache.hadoop.hbase.types.RawStringTerminated;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Order;
import org.apache.hadoop.hbase.util.OrderedBytes;
import org.apache.hadoop.hbase.util.PositionedByteRange;
import org.apache.hadoop.hbase.util.SimplePositionedMutableByteRange;

/**
 * The types that an indexed column can have. Expressions:
 *
 * <ul>
 *   <li>{@code bytes}: any bytes, sorted as unsigned bytes.
 *   <li>{@code string}: UTF-8, sorted by code point; written by {@code Bytes.toBytes(String)}.
 *   <li>{@code int}, {@code long}, {@code double}: as {@code Bytes.toBytes} writes them, sorted as numbers.
 *   <li>{@code class(org.example.MyType)}: an HBase {@link DataType} with a public constructor without arguments, which
 *       says what is decodable; if it preserves order the index sorts by it, else by its bytes.
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

    /** Equality by expression, which is all that a type is made of. */
    private abstract static class NamedType implements ColumnType {
        private final String expression;

        NamedType(String expression) {
            this.expression = expression;
        }

        @Override
        public final String expression() {
            return expression;
        }

        @Override
        public byte[] valueOf(byte[] cellBytes) throws UndecodableValueException {
            return cellBytes;
        }

        UndecodableValueException undecodable(byte[] value) {
            return new UndecodableValueException(describe(value));
        }

        String describe(byte[] value) {
            return "Not a value of type " + expression + ": "
                    + Bytes.toStringBinary(value, 0, Math.min(64, value.length)) + " (" + value.length + " bytes)";
        }

        IllegalArgumentException misfit(Object value) {
            return new IllegalArgumentException("Not a value of type " + expression + ": " + value + " ("
                    + value.getClass().getSimpleName() + ")");
        }

        @Override
        public final boolean equals(Object other) {
            return other instanceof NamedType that && that.expression.equals(expression);
        }

        @Override
        public final int hashCode() {
            return expression.hashCode();
        }

        @Override
        public final String toString() {
            return expression;
        }
    }

    /** Key bytes of variable length: {@link OrderedBytes#encodeBlobVar}, seven bits in a byte, closed by a clear bit. */
    private abstract static class VariableLengthType extends NamedType {
        VariableLengthType(String expression) {
            super(expression);
        }

        abstract void validate(byte[] value) throws UndecodableValueException;

        @Override
        public final void encode(byte[] value, PositionedByteRange destination) throws UndecodableValueException {
            validate(value);
            OrderedBytes.encodeBlobVar(destination, value, Order.ASCENDING);
        }

        @Override
        public final byte[] decode(PositionedByteRange source) {
            return OrderedBytes.decodeBlobVar(source);
        }

        @Override
        public final int maxEncodedLength(int valueLength) {
            return valueLength + valueLength / 7 + 3;
        }
    }

    private static final class BytesType extends VariableLengthType {
        BytesType() {
            super("bytes");
        }

        @Override
        void validate(byte[] value) {}

        @Override
        public byte[] toValue(Object value) {
            if (value instanceof byte[] bytes) {
                return bytes;
            }
            throw misfit(value);
        }

        @Override
        public byte[] parse(String text) {
            return Bytes.toBytesBinary(text);
        }

        @Override
        public String format(byte[] value) {
            return Bytes.toStringBinary(value);
        }
    }

    private static final class StringType extends VariableLengthType {
        StringType() {
            super("string");
        }

        @Override
        void validate(byte[] value) throws UndecodableValueException {
            for (byte b : value) {
                if (b < 0) {
                    validateUtf8(value);
                    return;
                }
            }
        }

        private void validateUtf8(byte[] value) throws UndecodableValueException {
            try {
                CharBuffer unused = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value));
            } catch (CharacterCodingException e) {
                throw new UndecodableValueException(describe(value), e);
            }
        }

        @Override
        public byte[] toValue(Object value) {
            if (value instanceof byte[] bytes) {
                return bytes;
            }
            if (value instanceof String text) {
                return Bytes.toBytes(text);
            }
            throw misfit(value);
        }

        @Override
        public byte[] parse(String text) {
            return Bytes.toBytes(text);
        }

        @Override
        public String format(byte[] value) {
            return Bytes.toString(value);
        }
    }

    /** Numbers: fixed length, and a text form that Java's own parsers read. */
    private abstract static class NumberType extends NamedType {
        private final int length;

        NumberType(String expression, int length) {
            super(expression);
            this.length = length;
        }

        final void validate(byte[] value) throws UndecodableValueException {
            if (value.length != length) {
                throw undecodable(value);
            }
        }

        @Override
        public final int maxEncodedLength(int valueLength) {
            return length + 1;
        }

        abstract byte[] ofNumber(Number number);

        abstract byte[] ofText(String text);

        @Override
        public final byte[] toValue(Object value) {
            if (value instanceof byte[] bytes) {
                return bytes;
            }
            if (value instanceof Number number) {
                return ofNumber(number);
            }
            throw misfit(value);
        }

        @Override
        public final byte[] parse(String text) {
            try {
                return ofText(text);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("Not a value of type " + expression() + ": '" + text + "'", e);
            }
        }

        /** The number as a long; a fraction or a wider number is a misfit, never cut off. */
        final long exactLong(Number number) {
            if (number instanceof Long
                    || number instanceof Integer
                    || number instanceof Short
                    || number instanceof Byte) {
                return number.longValue();
            }
            throw misfit(number);
        }
    }

    private static final class IntType extends NumberType {
        IntType() {
            super("int", Bytes.SIZEOF_INT);
        }

        @Override
        public void encode(byte[] value, PositionedByteRange destination) throws UndecodableValueException {
            validate(value);
            OrderedBytes.encodeInt32(destination, Bytes.toInt(value), Order.ASCENDING);
        }

        @Override
        public byte[] decode(PositionedByteRange source) {
            return Bytes.toBytes(OrderedBytes.decodeInt32(source));
        }

        @Override
        byte[] ofNumber(Number number) {
            long value = exactLong(number);
            if (value != (int) value) {
                throw misfit(number);
            }
            return Bytes.toBytes((int) value);
        }

        @Override
        byte[] ofText(String text) {
            return Bytes.toBytes(Integer.parseInt(text));
        }

        @Override
        public String format(byte[] value) {
            return Integer.toString(Bytes.toInt(value));
        }
    }

    private static final class LongType extends NumberType {
        LongType() {
            super("long", Bytes.SIZEOF_LONG);
        }

        @Override
        public void encode(byte[] value, PositionedByteRange destination) throws UndecodableValueException {
            validate(value);
            OrderedBytes.encodeInt64(destination, Bytes.toLong(value), Order.ASCENDING);
        }

        @Override
        public byte[] decode(PositionedByteRange source) {
            return Bytes.toBytes(OrderedBytes.decodeInt64(source));
        }

        @Override
        byte[] ofNumber(Number number) {
            return Bytes.toBytes(exactLong(number));
        }

        @Override
        byte[] ofText(String text) {
            return Bytes.toBytes(Long.parseLong(text));
        }

        @Override
        public String format(byte[] value) {
            return Long.toString(Bytes.toLong(value));
        }
    }

    private static final class DoubleType extends NumberType {
        DoubleType() {
            super("double", Bytes.SIZEOF_DOUBLE);
        }

        @Override
        public void encode(byte[] value, PositionedByteRange destination) throws UndecodableValueException {
            validate(value);
            OrderedBytes.encodeFloat64(destination, Bytes.toDouble(value), Order.ASCENDING);
        }

        @Override
        public byte[] decode(PositionedByteRange source) {
            return Bytes.toBytes(OrderedBytes.decodeFloat64(source));
        }

        @Override
        byte[] ofNumber(Number number) {
            return Bytes.toBytes(number.doubleValue());
        }

        @Override
        byte[] ofText(String text) {
            return Bytes.toBytes(Double.parseDouble(text));
        }

        @Override
        public String format(byte[] value) {
            return Double.toString(Bytes.toDouble(value));
        }
    }

    /** A user's {@link DataType}, which decides what is decodable; the key holds the cell bytes themselves. */
    private static final class CustomType extends VariableLengthType {
        private final DataType<?> dataType;

        CustomType(String className) {
            super("class(" + className + ")");
            this.dataType = instantiate(className);
        }

        private static DataType<?> instantiate(String className) {
            try {
                return Class.forName(className)
                        .asSubclass(DataType.class)
                        .getDeclaredConstructor()
                        .newInstance();
            } catch (ClassNotFoundException e) {
                throw new IllegalArgumentException("The column type's class is not on the class path: " + className, e);
            } catch (ClassCastException | NoSuchMethodException | InstantiationException | IllegalAccessException e) {
                throw new IllegalArgumentException(
                        "The column type's class is not an HBase DataType with a public constructor without arguments: "
                                + className,
                        e);
            } catch (InvocationTargetException e) {
                throw new IllegalArgumentException("The column type's constructor failed: " + className, e.getCause());
            }
        }

        @Override
        void validate(byte[] value) throws UndecodableValueException {
            Object unused = decodeObject(value);
        }

        private Object decodeObject(byte[] value) throws UndecodableValueException {
            try {
                return dataType.decode(new SimplePositionedMutableByteRange(value));
            } catch (RuntimeException e) {
                throw new UndecodableValueException(describe(value), e);
            }
        }

        @Override
        public byte[] toValue(Object value) {
            if (value instanceof byte[] bytes) {
                return bytes;
            }
            if (!dataType.encodedClass().isInstance(value)) {
                throw misfit(value);
            }
            return encodeObject(dataType, value);
        }

        @Override
        public byte[] parse(String text) {
            return Bytes.toBytesBinary(text);
        }

        @Override
        public String format(byte[] value) {
            return Bytes.toStringBinary(value);
        }
    }

    private static <T> byte[] encodeObject(DataType<T> type, Object value) {
        T typed = type.encodedClass().cast(value);
        PositionedByteRange range = new SimplePositionedMutableByteRange(type.encodedLength(typed));
        type.encode(range, typed);
        return Arrays.copyOf(range.getBytes(), range.getPosition());
    }

    /** One field of a packed column. Reads past the fields before it; the field's own type does the rest. */
    private static final class StructFieldType extends NamedType {
        private final List<DataType<?>> layout;
        private final int field;
        private final DataType<?> bare;
        private final ColumnType type;

        private StructFieldType(List<ColumnType> types, int field) {
            super("struct(" + types.stream().map(ColumnType::expression).collect(Collectors.joining(",")) + ")#"
                    + field);
            this.layout = new ArrayList<>();
            for (int i = 0; i < types.size(); i++) {
                layout.add(fieldType(types.get(i), i == types.size() - 1));
            }
            this.field = field;
            this.type = types.get(field);
            this.bare = fieldType(type, true);
        }

        static StructFieldType ofExpression(String expression) {
            int close = expression.lastIndexOf(")#");
            if (close < 0) {
                throw new IllegalArgumentException(
                        "A packed column is written struct(TYPE,...)#FIELD, not '" + expression + "'");
            }
            List<ColumnType> types = new ArrayList<>();
            for (String part : expression.substring("struct(".length(), close).split(",", -1)) {
                types.add(ColumnTypes.parse(part.trim()));
            }
            int field = Integer.parseInt(expression.substring(close + 2));
            if (field < 0 || field >= types.size()) {
                throw new IllegalArgumentException(
                        "No field " + field + " in '" + expression + "': fields are counted from 0");
            }
            return new StructFieldType(types, field);
        }

        private static DataType<?> fieldType(ColumnType type, boolean last) {
            if (type.equals(INT)) {
                return new RawInteger();
            } else if (type.equals(LONG)) {
                return new RawLong();
            } else if (type.equals(DOUBLE)) {
                return new RawDouble();
            } else if (type.equals(STRING)) {
                return last ? RawString.ASCENDING : new RawStringTerminated(Order.ASCENDING, new byte[] {0});
            } else if (type.equals(BYTES) && last) {
                return RawBytes.ASCENDING;
            } else if (type instanceof CustomType custom && (last || custom.dataType.isSkippable())) {
                return custom.dataType;
            }
            throw new IllegalArgumentException(
                    "Only the last field of a packed column can be of type " + type + ", which does not end itself");
        }

        @Override
        public byte[] valueOf(byte[] cellBytes) throws UndecodableValueException {
            PositionedByteRange source = new SimplePositionedMutableByteRange(cellBytes);
            try {
                for (int i = 0; i < field; i++) {
                    layout.get(i).skip(source);
                }
                Object value = Objects.requireNonNull(layout.get(field).decode(source));
                return encodeObject(bare, value);
            } catch (RuntimeException e) {
                throw new UndecodableValueException(describe(cellBytes), e);
            }
        }

        @Override
        public void encode(byte[] value, PositionedByteRange destination) throws UndecodableValueException {
            type.encode(value, destination);
        }

        @Override
        public byte[] decode(PositionedByteRange source) {
            return type.decode(source);
        }

        @Override
        public int maxEncodedLength(int valueLength) {
            return type.maxEncodedLength(valueLength);
        }

        @Override
        public byte[] toValue(Object value) {
            return type.toValue(value);
        }

        @Override
        public byte[] parse(String text) {
            return type.parse(text);
        }

        @Override
        public String format(byte[] value) {
            return type.format(value);
        }
    }
}
