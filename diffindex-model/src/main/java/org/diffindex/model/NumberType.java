package org.diffindex.model;

import org.apache.hadoop.hbase.util.PositionedByteRange;

/**
 * Numbers: fixed length, a text form that Java's parsers accept, and the key bytes of {@link
 * org.apache.hadoop.hbase.util.OrderedBytes}: one header byte and the value.
 */
abstract class NumberType extends NamedType {
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

    /** Returns whether the source holds key bytes of this type, in ascending order, at its position. */
    abstract boolean isKey(PositionedByteRange source);

    abstract byte[] decodeKey(PositionedByteRange source);

    @Override
    public final byte[] decode(PositionedByteRange source) {
        // A negative header byte denotes descending order, which is never written.
        if (source.getRemaining() < length + 1 || source.peek() < 0 || !isKey(source)) {
            throw noKey();
        }
        return decodeKey(source);
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

    /** Returns the number whose bytes these are, of the right length. */
    abstract Number toNumber(byte[] value);

    @Override
    public final Number toObject(byte[] value) {
        if (value.length != length) {
            throw new IllegalArgumentException(describe(value));
        }
        return toNumber(value);
    }

    @Override
    public final byte[] parse(String text) {
        try {
            return ofText(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("Not a value of type " + expression() + ": '" + text + "'", e);
        }
    }

    /** Returns the number as a long; rejects a fractional or wider type instead of truncating it. */
    final long exactLong(Number number) {
        if (number instanceof Long || number instanceof Integer || number instanceof Short || number instanceof Byte) {
            return number.longValue();
        }
        throw misfit(number);
    }
}
