package org.diffindex.model;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Optional;
import org.apache.hadoop.hbase.util.PositionedByteRange;

/**
 * Key bytes of variable length: the value's bytes, each 0x00 followed by 0xFF, terminated by 0x00 0x01. The terminator
 * sorts before every byte sequence that can continue a value, and no encoding is a prefix of another.
 *
 * <p>HBase's own self-delimiting encoding of arbitrary bytes, {@link
 * org.apache.hadoop.hbase.util.OrderedBytes#encodeBlobVar}, is unsuitable: its clear continuation bit sorts {@code "c"}
 * before {@code "bx"}. See ADR 0004.
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
    public Optional<byte[]> keyPrefix(byte[] beginning) {
        ByteArrayOutputStream prefix = new ByteArrayOutputStream(beginning.length);
        for (byte each : beginning) {
            prefix.write(each);
            if (each == ZERO) {
                prefix.write(ESCAPED);
            }
        }
        return Optional.of(prefix.toByteArray());
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
