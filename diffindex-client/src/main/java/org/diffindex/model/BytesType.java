package org.diffindex.model;

import org.apache.hadoop.hbase.util.Bytes;

final class BytesType extends VariableLengthType {
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
