package org.diffindex.model;

import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Order;
import org.apache.hadoop.hbase.util.OrderedBytes;
import org.apache.hadoop.hbase.util.PositionedByteRange;

final class LongType extends NumberType {
    LongType() {
        super("long", Bytes.SIZEOF_LONG);
    }

    @Override
    public void encode(byte[] value, PositionedByteRange destination) throws UndecodableValueException {
        validate(value);
        OrderedBytes.encodeInt64(destination, Bytes.toLong(value), Order.ASCENDING);
    }

    @Override
    boolean isKey(PositionedByteRange source) {
        return OrderedBytes.isFixedInt64(source);
    }

    @Override
    byte[] decodeKey(PositionedByteRange source) {
        return Bytes.toBytes(OrderedBytes.decodeInt64(source));
    }

    @Override
    byte[] ofNumber(Number number) {
        return Bytes.toBytes(exactLong(number));
    }

    @Override
    Long toNumber(byte[] value) {
        return Bytes.toLong(value);
    }

    @Override
    byte[] ofText(String text) {
        return Bytes.toBytes(Long.parseLong(text));
    }

    @Override
    public String format(byte[] value) {
        return Long.toString(Bytes.toLong(value));
    }
}
