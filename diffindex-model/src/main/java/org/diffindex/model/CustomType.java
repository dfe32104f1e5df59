package org.diffindex.model;

import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.Optional;
import org.apache.hadoop.hbase.types.DataType;
import org.apache.hadoop.hbase.util.PositionedByteRange;
import org.apache.hadoop.hbase.util.SimplePositionedMutableByteRange;

/**
 * A type backed by a user's {@link DataType}, which decides which bytes are valid: it must decode a value completely,
 * leaving no bytes over. The key holds the cell bytes themselves, escaped by {@link VariableLengthType}.
 */
final class CustomType extends VariableLengthType {
    private final DataType<?> dataType;

    CustomType(String className) {
        super("class(" + className + ")");
        this.dataType = instantiate(className);
    }

    /** Returns a user's class; does not initialize it, since clients may send a server any class name. */
    static Class<?> load(String className) {
        try {
            return Class.forName(className, false, CustomType.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new UnloadableTypeException("The column type's class is not on the class path: " + className, e);
        } catch (LinkageError e) {
            throw new UnloadableTypeException("The column type's class cannot be loaded: " + className, e);
        }
    }

    private static DataType<?> instantiate(String className) {
        try {
            return load(className)
                    .asSubclass(DataType.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ClassCastException | NoSuchMethodException | InstantiationException | IllegalAccessException e) {
            throw new UnloadableTypeException(
                    "The column type's class is not an HBase DataType with a public constructor without arguments: "
                            + className,
                    e);
        } catch (LinkageError e) {
            throw new UnloadableTypeException("The column type's class cannot be loaded: " + className, e);
        } catch (InvocationTargetException e) {
            throw new UnloadableTypeException("The column type's constructor failed: " + className, e.getCause());
        }
    }

    DataType<?> dataType() {
        return dataType;
    }

    /**
     * Returns whether a value ends itself, so that other fields can follow it in a packed column.
     *
     * @throws UnloadableTypeException if the class does not say so
     */
    boolean isSkippable() {
        try {
            return dataType.isSkippable();
        } catch (RuntimeException | AssertionError | LinkageError | StackOverflowError e) {
            throw new UnloadableTypeException("The column type's method isSkippable failed: " + expression(), e);
        }
    }

    @Override
    void validate(byte[] value) throws UndecodableValueException {
        Object unused = decodeObject(value);
    }

    private Object decodeObject(byte[] value) throws UndecodableValueException {
        PositionedByteRange source = new SimplePositionedMutableByteRange(value);
        try {
            Object decoded = dataType.decode(source);
            if (source.getRemaining() == 0) {
                return decoded;
            }
        } catch (RuntimeException | AssertionError | LinkageError | StackOverflowError e) {
            // HBase's own types report some undecodable bytes by an assertion. A user's type may fail in any way, and
            // an Error thrown from here would abort the region server.
            throw new UndecodableValueException(describe(value), e);
        }
        throw undecodable(value);
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

    /** Returns nothing: what a value begins with need not be what its bytes begin with. */
    @Override
    public Optional<byte[]> keyPrefix(byte[] beginning) {
        return Optional.empty();
    }

    @Override
    public byte[] parse(String text) {
        return BinaryText.parse(text);
    }

    @Override
    public String format(byte[] value) {
        return BinaryText.format(value);
    }

    @Override
    public boolean escapesBytes() {
        return true;
    }

    static <T> byte[] encodeObject(DataType<T> type, Object value) {
        T typed = type.encodedClass().cast(value);
        PositionedByteRange range = new SimplePositionedMutableByteRange(type.encodedLength(typed));
        type.encode(range, typed);
        return Arrays.copyOf(range.getBytes(), range.getPosition());
    }
}
