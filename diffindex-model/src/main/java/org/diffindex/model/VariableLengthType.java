package org.diffindex.model;

import java.util.Arrays;
import org.apache.hadoop.hbase.util.PositionedByteRange;

/**
 * Key bytes of variable length: the value's bytes, each 0x00 followed by 0xFF, closed by 0x00 0x01. So the end of a
 * value sorts before every byte that could follow, and no encoding is the beginning of another.
 *
 * <p>HBase's own self-ending encoding of any bytes, {@link org.apache.hadoop.hbase.util.OrderedBytes#encodeBlobVar},
 * cannot stand here: the clear bit that ends it makes {@code "c"} sort before {@code "bx"}. See ADR 0004.
 */
abstract class VariableLengthType extends NamedType {
    private static final byte ZERO = 0x00;
    private static final byte ESCAPED = (byte) 0xFF;
    private static final byte END = 0x01;

    VariableLengthType(String expression) {
        super(expression);
    }

    abstract void validate(byte[] value) throws UndecodableValueException;

    @Override
    public final void encode(byte[] value, PositionedByteRange destination) throws UndecodableValueException {
        validate(value);
        for (byte b : value) {
            destination.put(b);
            if (b == ZERO) {
                destination.put(ESCAPED);
            }
        }
        destination.put(ZERO).put(END);
    }

    @Override
    public final byte[] decode(PositionedByteRange source) {
        byte[] value = new byte[source.getRemaining()];
        int length = 0;
        while (source.getRemaining() > 0) {
            byte b = source.get();
            if (b == ZERO && !isEscapedZero(source)) {
                return Arrays.copyOf(value, length);
            }
            value[length++] = b;
        }
        throw noKey();
    }

    private boolean isEscapedZero(PositionedByteRange source) {
        byte next = source.getRemaining() > 0 ? source.get() : ZERO;
        if (next != ESCAPED && next != END) {
            throw noKey();
        }
        return next == ESCAPED;
    }

    @Override
    public final int maxEncodedLength(int valueLength) {
        return 2 * valueLength + 2;
    }
}
