package org.diffindex.model;

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
}
