package org.diffindex.model;

import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Order;
import org.apache.hadoop.hbase.util.OrderedBytes;
import org.apache.hadoop.hbase.util.PositionedByteRange;

final class DoubleType extends NumberType {
    DoubleType() {
        super("double", Bytes.SIZEOF_DOUBLE);
    }

    @Override
    public void encode(byte[] value, PositionedByteRange destination) throws UndecodableValueException {
        validate(value);
        OrderedBytes.encodeFloat64(destination, Bytes.toDouble(value), Order.ASCENDING);
    }

    @Override
    boolean isKey(PositionedByteRange source) {
        return OrderedBytes.isFixedFloat64(source);
    }

    @Override
    byte[] decodeKey(PositionedByteRange source) {
        return Bytes.toBytes(OrderedBytes.decodeFloat64(source));
    }

    @Override
    byte[] ofNumber(Number number) {
        if (!(number instanceof Double || number instanceof Float)) {
            long whole = exactLong(number);
            // Long.MAX_VALUE is rounded up to 2^63, and the cast back yields Long.MAX_VALUE again.
            if ((long) (double) whole != whole || whole == Long.MAX_VALUE) {
                throw misfit(number);
            }
        }
        return Bytes.toBytes(number.doubleValue());
    }

    @Override
    Double toNumber(byte[] value) {
        return Bytes.toDouble(value);
    }

    @Override
    byte[] ofText(String text) {
        return Bytes.toBytes(Double.parseDouble(text));
    }

    @Override
    public String format(byte[] value) {
        return Double.toString(Bytes.toDouble(value));
    }
}
