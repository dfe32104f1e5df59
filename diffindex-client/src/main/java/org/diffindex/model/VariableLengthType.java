package org.diffindex.model;

import org.apache.hadoop.hbase.util.Order;
import org.apache.hadoop.hbase.util.OrderedBytes;
import org.apache.hadoop.hbase.util.PositionedByteRange;

/** Key bytes of variable length: {@link OrderedBytes#encodeBlobVar}, seven bits in a byte, closed by a clear bit. */
abstract class VariableLengthType extends NamedType {
    VariableLengthType(String expression) {
        super(expression);
    }

    abstract void validate(byte[] value) throws UndecodableValueException;

    @Override
    public final void encode(byte[] value, PositionedByteRange destination) throws UndecodableValueException {
        validate(value);
        OrderedBytes.encodeBlobVar(destination, value, Order.ASCENDING);
    }

    @Override
    public final byte[] decode(PositionedByteRange source) {
        return OrderedBytes.decodeBlobVar(source);
    }

    @Override
    public final int maxEncodedLength(int valueLength) {
        return valueLength + valueLength / 7 + 3;
    }
}
