package org.diffindex.model;

import java.util.ArrayList;
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
import org.apache.hadoop.hbase.util.Order;
import org.apache.hadoop.hbase.util.PositionedByteRange;
import org.apache.hadoop.hbase.util.SimplePositionedMutableByteRange;

/** One field of a packed column. Reads past the fields before it; the field's own type does the rest. */
final class StructFieldType extends NamedType {
    private final List<DataType<?>> layout;
    private final int field;
    private final DataType<?> bare;
    private final ColumnType type;

    private StructFieldType(List<ColumnType> types, int field) {
        super("struct(" + types.stream().map(ColumnType::expression).collect(Collectors.joining(",")) + ")#" + field);
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
        if (type.equals(ColumnTypes.INT)) {
            return new RawInteger();
        } else if (type.equals(ColumnTypes.LONG)) {
            return new RawLong();
        } else if (type.equals(ColumnTypes.DOUBLE)) {
            return new RawDouble();
        } else if (type.equals(ColumnTypes.STRING)) {
            return last ? RawString.ASCENDING : new RawStringTerminated(Order.ASCENDING, new byte[] {0});
        } else if (type.equals(ColumnTypes.BYTES) && last) {
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
            return CustomType.encodeObject(bare, value);
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
