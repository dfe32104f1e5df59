package org.diffindex.model;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.hbase.util.Bytes;

final class StringType extends VariableLengthType {
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
            return BinaryText.utf8(text);
        }
        throw misfit(value);
    }

    @Override
    public String toObject(byte[] value) {
        try {
            validate(value);
        } catch (UndecodableValueException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        return Bytes.toString(value);
    }

    @Override
    public byte[] parse(String text) {
        return BinaryText.utf8(text);
    }

    @Override
    public String format(byte[] value) {
        return Bytes.toString(value);
    }
}
