package org.diffindex.model;

import java.util.Optional;
import org.apache.hadoop.hbase.util.PositionedByteRange;
import org.apache.hadoop.hbase.util.SimplePositionedMutableByteRange;

/**
 * A type whose values sort the other way round: its key bytes are those of the ascending type, each of them complemented
 * ({@code 61 00 01} becomes {@code 9E FF FE}). No key bytes of a value are a prefix of another's, so that two values differ in a
 * byte that both have; the complement reverses the order there, and delimits itself as the ascending key bytes do. Values,
 * cell bytes and text are those of the ascending type.
 */
final class DescendingType extends NamedType {
    /** What follows the expression of the ascending type. */
    static final String SUFFIX = ":desc";

    private final ColumnType ascending;

    /**
     * Creates the type.
     *
     * @throws IllegalArgumentException if the other type is descending itself
     */
    DescendingType(ColumnType ascending) {
        super(ascending.expression() + SUFFIX);
        if (ascending instanceof DescendingType) {
            throw new IllegalArgumentException(
                    "A column is descending or not; write " + SUFFIX + " once, not '" + expression() + "'");
        }
        this.ascending = ascending;
    }

    @Override
    public ColumnType ascending() {
        return ascending;
    }

    @Override
    public byte[] valueOf(byte[] cellBytes) throws UndecodableValueException {
        return ascending.valueOf(cellBytes);
    }

    @Override
    public void encode(byte[] value, PositionedByteRange destination) throws UndecodableValueException {
        int start = destination.getPosition();
        ascending.encode(value, destination);
        for (int i = start; i < destination.getPosition(); i++) {
            destination.put(i, (byte) ~destination.get(i));
        }
    }

    @Override
    public byte[] decode(PositionedByteRange source) {
        int start = source.getPosition();
        byte[] rest = new byte[source.getRemaining()];
        source.get(rest);
        PositionedByteRange key = new SimplePositionedMutableByteRange(complement(rest));
        byte[] value = ascending.decode(key);
        source.setPosition(start + key.getPosition());
        return value;
    }

    @Override
    public Optional<byte[]> keyPrefix(byte[] beginning) {
        return ascending.keyPrefix(beginning).map(DescendingType::complement);
    }

    /** Complements each byte of an array; returns the same array. */
    private static byte[] complement(byte[] bytes) {
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) ~bytes[i];
        }
        return bytes;
    }

    @Override
    public int maxEncodedLength(int valueLength) {
        return ascending.maxEncodedLength(valueLength);
    }

    @Override
    public byte[] toValue(Object value) {
        return ascending.toValue(value);
    }

    @Override
    public Object toObject(byte[] value) {
        return ascending.toObject(value);
    }

    @Override
    public byte[] parse(String text) {
        return ascending.parse(text);
    }

    @Override
    public String format(byte[] value) {
        return ascending.format(value);
    }

    @Override
    public boolean escapesBytes() {
        return ascending.escapesBytes();
    }
}
