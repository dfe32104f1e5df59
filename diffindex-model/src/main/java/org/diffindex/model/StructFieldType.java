package org.diffindex.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.types.DataType;
import org.apache.hadoop.hbase.types.RawBytes;
import org.apache.hadoop.hbase.types.RawDouble;
import org.apache.hadoop.hbase.types.RawInteger;
import org.apache.hadoop.hbase.types.RawLong;
import org.apache.hadoop.hbase.types.RawString;
import org.apache.hadoop.hbase.types.RawStringTerminated;
import org.apache.hadoop.hbase.util.Order;
import org.apache.hadoop.hbase.util.PositionedByteRange;
import org.apache.hadoop.hbase.util.SimplePositionedMutableByteRange;

/** One field of a packed column. Skips the preceding fields and delegates to the field's own type. */
final class StructFieldType extends NamedType {
    private static final Pattern EXPRESSION = Pattern.compile("struct\\((.*)\\)#(-?[0-9]{1,9})");
    private static final byte[] TERMINATOR = {0};

    private final List<DataType<?>> layout;
    private final int field;
    private final ColumnType type;

    private StructFieldType(List<ColumnType> types, int field) {
        super("struct(" + types.stream().map(ColumnType::expression).collect(Collectors.joining(",")) + ")#" + field);
        this.layout = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            layout.add(fieldType(types.get(i), i == types.size() - 1));
        }
        this.field = field;
        this.type = types.get(field);
    }

    static StructFieldType ofExpression(String expression) {
        Matcher matcher = EXPRESSION.matcher(expression);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "A packed column is written struct(TYPE,...)#FIELD, not '" + expression + "'");
        }
        List<ColumnType> types = new ArrayList<>();
        for (String part : matcher.group(1).split(",", -1)) {
            types.add(ColumnTypes.parse(part.trim()));
        }
        int field = Integer.parseInt(matcher.group(2));
        if (field < 0 || field >= types.size()) {
            throw new IllegalArgumentException(
                    "No field " + field + " in '" + expression + "': fields are counted from 0");
        }
        return new StructFieldType(types, field);
    }

    private static DataType<?> fieldType(ColumnType type, boolean last) {
        if (type.equals(ColumnTypes.INT)) {
            return new RawInteger();
        } else if (type.equals(ColumnTypes.LONG)) {
            return new RawLong();
        } else if (type.equals(ColumnTypes.DOUBLE)) {
            return new RawDouble();
        } else if (type.equals(ColumnTypes.STRING)) {
            return last ? RawString.ASCENDING : new RawStringTerminated(Order.ASCENDING, TERMINATOR);
        } else if (type.equals(ColumnTypes.BYTES) && last) {
            return RawBytes.ASCENDING;
        } else if (type instanceof CustomType custom && (last || custom.isSkippable())) {
            return custom.dataType();
        }
        throw new IllegalArgumentException(
                "Only the last field of a packed column can be of type " + type + ", which does not end itself");
    }

    @Override
    public byte[] valueOf(byte[] cellBytes) throws UndecodableValueException {
        PositionedByteRange source = new SimplePositionedMutableByteRange(cellBytes);
        for (int i = 0; i < field; i++) {
            skip(layout.get(i), source);
        }
        int start = source.getPosition();
        skip(layout.get(field), source);
        return Arrays.copyOfRange(cellBytes, start, source.getPosition() - terminatorLength());
    }

    private void skip(DataType<?> fieldType, PositionedByteRange source) throws UndecodableValueException {
        int start = source.getPosition();
        try {
            if (fieldType.isSkippable()) {
                fieldType.skip(source);
            } else {
                Object unused = fieldType.decode(source);
            }
        } catch (RuntimeException | AssertionError | LinkageError | StackOverflowError e) {
            throw new UndecodableValueException(describe(source.getBytes()), e);
        }
        // HBase's raw number types skip without checking the end of the bytes.
        if (source.getPosition() < start || source.getPosition() > source.getLength()) {
            throw undecodable(source.getBytes());
        }
    }

    private int terminatorLength() {
        boolean isOwnString = type.equals(ColumnTypes.STRING) && field < layout.size() - 1;
        return isOwnString ? TERMINATOR.length : 0;
    }

    @Override
    public void encode(byte[] value, PositionedByteRange destination) throws UndecodableValueException {
        type.encode(value, destination);
    }

    @Override
    public Optional<byte[]> keyPrefix(byte[] beginning) {
        return type.keyPrefix(beginning);
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

    @Override
    public boolean escapesBytes() {
        return type.escapesBytes();
    }
}
