package org.diffindex.model;

import java.time.LocalDate;
import org.apache.hadoop.hbase.types.DataType;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Order;
import org.apache.hadoop.hbase.util.PositionedByteRange;

/** A user-defined type: a day, encoded as four bytes that sort by time. It refuses days before 1900. */
public final class EpochDay implements DataType<LocalDate> {
    static final LocalDate FIRST = LocalDate.of(1900, 1, 1);

    @Override
    public boolean isOrderPreserving() {
        return true;
    }

    @Override
    public Order getOrder() {
        return Order.ASCENDING;
    }

    @Override
    public boolean isNullable() {
        return false;
    }

    @Override
    public boolean isSkippable() {
        return true;
    }

    @Override
    public int encodedLength(LocalDate day) {
        return Bytes.SIZEOF_INT;
    }

    @Override
    public Class<LocalDate> encodedClass() {
        return LocalDate.class;
    }

    @Override
    public int skip(PositionedByteRange source) {
        source.setPosition(source.getPosition() + Bytes.SIZEOF_INT);
        return Bytes.SIZEOF_INT;
    }

    @Override
    public LocalDate decode(PositionedByteRange source) {
        byte[] bytes = new byte[Bytes.SIZEOF_INT];
        source.get(bytes);
        LocalDate day = LocalDate.ofEpochDay(Bytes.toInt(bytes) ^ Integer.MIN_VALUE);
        if (day.isBefore(FIRST)) {
            throw new IllegalStateException("Before 1900: " + day);
        }
        return day;
    }

    @Override
    public int encode(PositionedByteRange destination, LocalDate day) {
        destination.put(Bytes.toBytes((int) day.toEpochDay() ^ Integer.MIN_VALUE));
        return Bytes.SIZEOF_INT;
    }
}
