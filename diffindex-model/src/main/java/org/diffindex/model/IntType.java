package org.diffindex.model;

import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Order;
import org.apache.hadoop.hbase.util.OrderedBytes;
import org.apache.hadoop.hbase.util.PositionedByteRange;

final class IntType extends NumberType {
    IntType() {
        super("int", Bytes.SIZEOF_INT);
    }

    @Override
    public void encode(byte[] value, PositionedByteRange destination) throws UndecodableValueException {
        validate(value);
        OrderedBytes.encodeInt32(destination, Bytes.toInt(value), Order.ASCENDING);
    }

    @Override
    boolean isKey(PositionedByteRange source) {
        return OrderedBytes.isFixedInt32(source);
    }

    @Override
    byte[] decodeKey(PositionedByteRange source) {
        return Bytes.toBytes(OrderedBytes.decodeInt32(source));
    }

    @Override
    byte[] ofNumber(Number number) {
        long value = exactLong(number);
        if (value != (int) value) {
            throw misfit(number);
        }
        return Bytes.toBytes((int) value);
    }

    @Override
    Integer toNumber(byte[] value) {
        return Bytes.toInt(value);
    }

    @Override
    byte[] ofText(String text) {
        return Bytes.toBytes(Integer.parseInt(text));
    }

    @Override
    public String format(byte[] value) {
        return Integer.toString(Bytes.toInt(value));
    }
}
