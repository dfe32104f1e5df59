package org.diffindex.model;

import java.time.LocalDate;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;
import org.apache.hadoop.hbase.types.RawDouble;
import org.apache.hadoop.hbase.types.RawInteger;
import org.apache.hadoop.hbase.types.RawString;
import org.apache.hadoop.hbase.types.RawStringTerminated;
import org.apache.hadoop.hbase.types.Struct;
import org.apache.hadoop.hbase.types.StructBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Order;
import org.apache.hadoop.hbase.util.PositionedByteRange;
import org.apache.hadoop.hbase.util.SimplePositionedMutableByteRange;

/**
 * A column type, the cells that a user may store in such a column, and the order in which an index must sort them. The
 * order is implemented independently of {@link ColumnType}.
 */
record Domain(ColumnType type, Arbitrary<byte[]> cells, Comparator<byte[]> order) {
    /** Encodes packed columns with HBase's own types. */
    private static final Struct STRUCT = new StructBuilder()
            .add(new RawInteger())
            .add(new RawStringTerminated(Order.ASCENDING, new byte[] {0}))
            .add(new RawDouble())
            .add(RawString.ASCENDING)
            .toStruct();

    private static final String LAYOUT = "struct(int,string,double,string)";

    static List<Domain> all() {
        return Stream.concat(ascending().stream(), ascending().stream().map(Domain::descending))
                .toList();
    }

    private Domain descending() {
        return new Domain(ColumnTypes.descending(type), cells, order.reversed());
    }

    private static List<Domain> ascending() {
        return List.of(
                bytes(),
                string(),
                ofInt(),
                ofLong(),
                ofDouble(),
                custom(),
                structField(0),
                structField(1),
                structField(2),
                structField(3));
    }

    static Domain bytes() {
        return new Domain(ColumnTypes.BYTES, anyBytes(), Arrays::compareUnsigned);
    }

    static Domain string() {
        return new Domain(
                ColumnTypes.STRING, strings().map(Bytes::toBytes), (a, b) -> compareCodePoints(text(a), text(b)));
    }

    static Domain ofInt() {
        return new Domain(
                ColumnTypes.INT, Arbitraries.integers().map(Bytes::toBytes), Comparator.comparingInt(Bytes::toInt));
    }

    static Domain ofLong() {
        return new Domain(
                ColumnTypes.LONG, Arbitraries.longs().map(Bytes::toBytes), Comparator.comparingLong(Bytes::toLong));
    }

    static Domain ofDouble() {
        return new Domain(
                ColumnTypes.DOUBLE, doubles().map(Bytes::toBytes), Comparator.comparingDouble(Bytes::toDouble));
    }

    static Domain custom() {
        Arbitrary<byte[]> days = Arbitraries.longs()
                .between(EpochDay.FIRST.toEpochDay(), Integer.MAX_VALUE)
                .map(LocalDate::ofEpochDay)
                .map(day -> CustomType.encodeObject(new EpochDay(), day));
        return new Domain(ColumnTypes.custom(EpochDay.class), days, Comparator.comparing(cell -> new EpochDay()
                .decode(new SimplePositionedMutableByteRange(cell))));
    }

    static Domain structField(int field) {
        return new Domain(
                ColumnTypes.parse(LAYOUT + "#" + field),
                structs(),
                (a, b) -> compareFields(fieldOf(a, field), fieldOf(b, field)));
    }

    /** Any bytes; often runs of a few bytes such as 0x00 and 0xFF, so that one is often a prefix of another. */
    static Arbitrary<byte[]> anyBytes() {
        Arbitrary<Byte> few = Arbitraries.of((byte) 0, (byte) 1, (byte) 0x7F, (byte) 0x80, (byte) 0xFE, (byte) 0xFF);
        return Arbitraries.frequencyOf(
                Tuple.of(3, few.array(byte[].class).ofMaxSize(4)),
                Tuple.of(2, few.array(byte[].class).ofMaxSize(24)),
                Tuple.of(1, Arbitraries.bytes().array(byte[].class).ofMaxSize(64)));
    }

    /** Any text, with zeros, both sides of the surrogates, and characters above U+FFFF. */
    static Arbitrary<String> strings() {
        Arbitrary<Integer> few =
                Arbitraries.of(0, 1, 0x61, 0x7F, 0x80, 0xE9, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF);
        Arbitrary<Integer> any = Arbitraries.integers()
                .between(0, Character.MAX_CODE_POINT)
                .filter(c -> c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE);
        return Arbitraries.oneOf(few, any).list().ofMaxSize(8).map(Domain::ofCodePoints);
    }

    static Arbitrary<Double> doubles() {
        Arbitrary<Double> few = Arbitraries.of(
                Double.NEGATIVE_INFINITY,
                -Double.MAX_VALUE,
                -1.0,
                -Double.MIN_NORMAL,
                -Double.MIN_VALUE,
                -0.0,
                0.0,
                Double.MIN_VALUE,
                Double.MIN_NORMAL,
                1.0,
                Double.MAX_VALUE,
                Double.POSITIVE_INFINITY,
                Double.NaN,
                Double.longBitsToDouble(0xFFF8_0000_0000_0001L));
        return Arbitraries.oneOf(few, Arbitraries.longs().map(Double::longBitsToDouble));
    }

    private static Arbitrary<byte[]> structs() {
        Arbitrary<String> terminated = strings().map(text -> text.replace("\0", ""));
        return Combinators.combine(Arbitraries.integers(), terminated, doubles(), strings())
                .as((number, first, fraction, last) -> {
                    Object[] fields = {number, first, fraction, last};
                    PositionedByteRange range = new SimplePositionedMutableByteRange(STRUCT.encodedLength(fields));
                    STRUCT.encode(range, fields);
                    return range.getBytes();
                });
    }

    static Object fieldOf(byte[] struct, int field) {
        return STRUCT.decode(new SimplePositionedMutableByteRange(struct), field);
    }

    private static int compareFields(Object left, Object right) {
        if (left instanceof Integer a && right instanceof Integer b) {
            return a.compareTo(b);
        } else if (left instanceof Double a && right instanceof Double b) {
            return a.compareTo(b);
        }
        return compareCodePoints((String) left, (String) right);
    }

    private static String ofCodePoints(List<Integer> codePoints) {
        int[] all = codePoints.stream().mapToInt(Integer::intValue).toArray();
        return new String(all, 0, all.length);
    }

    private static String text(byte[] cell) {
        return Bytes.toString(cell);
    }

    private static int compareCodePoints(String left, String right) {
        int[] a = left.codePoints().toArray();
        int[] b = right.codePoints().toArray();
        return IntStream.range(0, Math.min(a.length, b.length))
                .map(i -> Integer.compare(a[i], b[i]))
                .filter(c -> c != 0)
                .findFirst()
                .orElse(Integer.compare(a.length, b.length));
    }

    @Override
    public String toString() {
        return type.expression();
    }
}
