package org.diffindex.model;

import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import org.apache.hadoop.hbase.types.DataType;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.PositionedByteRange;
import org.apache.hadoop.hbase.util.SimplePositionedMutableByteRange;

/** A user's {@link DataType}, which decides what is decodable; the key holds the cell bytes themselves. */
final class CustomType extends VariableLengthType {
    final DataType<?> dataType;

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

    static <T> byte[] encodeObject(DataType<T> type, Object value) {
        T typed = type.encodedClass().cast(value);
        PositionedByteRange range = new SimplePositionedMutableByteRange(type.encodedLength(typed));
        type.encode(range, typed);
        return Arrays.copyOf(range.getBytes(), range.getPosition());
    }
}
