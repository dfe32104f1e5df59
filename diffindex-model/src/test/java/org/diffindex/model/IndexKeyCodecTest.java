package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class IndexKeyCodecTest {
    private static final byte[] ROW = Bytes.toBytes("row");

    /** Compares adjacent keys: if they ascend strictly and none is a prefix of the next, this holds for all pairs. */
    @Test
    void keysOfShortByteStringsSortAndAreNoPrefixesOfEachOther() {
        Set<byte[]> values = new TreeSet<>(Arrays::compareUnsigned);
        byte[] every = new byte[256];
        for (int i = 0; i < every.length; i++) {
            every[i] = (byte) i;
        }
        addRuns(values, every, 2);
        addRuns(values, new byte[] {0, 1, 0x7F, (byte) 0x80, (byte) 0xFF}, 5);
        assertThat(values).hasSizeGreaterThan(65_536 + 3_000);

        IndexKeyCodec codec = codecOf(ColumnTypes.BYTES);
        byte[] previous = new byte[0];
        for (byte[] value : values) {
            byte[] key = codec.prefix(List.of(value));
            boolean ascends = Arrays.compareUnsigned(previous, key) < 0;
            boolean extendsPrevious = previous.length > 0 && Bytes.startsWith(key, previous);
            if (!ascends || extendsPrevious) {
                fail("The key of %s is %s, after %s", text(value), text(key), text(previous));
            }
            previous = key;
        }
    }

    /** HBase's client finds a region by a scan of hbase:meta from such a row, and a region has one that begins with its key. */
    @Test
    void theLongestKeyFitsIntoARowOfMeta() {
        TableName table = TableName.valueOf("space", "flights.by_origin");
        byte[] longest = new byte[IndexKeyCodec.maxKeyLength(table)];
        assertThat(RegionInfo.createRegionName(table, KeyOrder.firstAfter(longest), HConstants.NINES, false))
                .hasSizeLessThanOrEqualTo(HConstants.MAX_ROW_LENGTH);
        assertThat(RegionInfo.createRegionName(table, longest, 1_700_000_000_000L, true))
                .hasSize(HConstants.MAX_ROW_LENGTH);
    }

    @Test
    void aLongerSmallerStringSortsBeforeAShorterGreaterOne() throws UndecodableValueException {
        IndexKeyCodec codec = codecOf(ColumnTypes.STRING);
        assertThat(Arrays.compareUnsigned(key(codec, "bx"), key(codec, "c"))).isNegative();
    }

    @Test
    void doublesSortAsJavaComparesThemWithAllNansEqualAndLast() throws UndecodableValueException {
        IndexKeyCodec codec = codecOf(ColumnTypes.DOUBLE);
        double[] ascending = {
            Double.NEGATIVE_INFINITY,
            -Double.MAX_VALUE,
            -1,
            -Double.MIN_VALUE,
            -0.0,
            0.0,
            Double.MIN_VALUE,
            1,
            Double.MAX_VALUE,
            Double.POSITIVE_INFINITY,
            Double.NaN
        };
        for (int i = 1; i < ascending.length; i++) {
            assertThat(Arrays.compareUnsigned(key(codec, ascending[i - 1]), key(codec, ascending[i])))
                    .as("%s and %s", ascending[i - 1], ascending[i])
                    .isNegative();
        }
        assertThat(key(codec, Double.longBitsToDouble(0xFFF8_0000_0000_0001L))).isEqualTo(key(codec, Double.NaN));
    }

    @Test
    void refusesTheWrongNumberOfValues() {
        IndexKeyCodec codec = codecOf(ColumnTypes.STRING, ColumnTypes.INT);
        byte[] value = Bytes.toBytes("a");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.encode(List.of(value), ROW))
                .withMessage("The index has 2 columns, but 1 values were given");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.prefix(List.of(value, Bytes.toBytes(1), value)))
                .withMessage("The index has 2 columns, but 3 values were given");
    }

    @Test
    void refusesAValueOfAnotherType() {
        IndexKeyCodec codec = codecOf(ColumnTypes.INT);
        byte[] text = Bytes.toBytes("seven");
        assertThatThrownBy(() -> codec.encode(List.of(text), ROW))
                .isInstanceOf(UndecodableValueException.class)
                .hasMessage("Not a value of type int: seven (5 bytes)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.prefix(List.of(text)))
                .withMessage("Not a value of type int: seven (5 bytes)");
    }

    @Test
    void refusesBytesThatAreNotAKey() throws UndecodableValueException {
        IndexKeyCodec strings = codecOf(ColumnTypes.STRING);
        IndexKeyCodec numbers = codecOf(ColumnTypes.LONG);
        for (IndexKeyCodec codec : List.of(strings, numbers)) {
            assertNoKey(codec, new byte[0]);
            assertNoKey(codec, Bytes.toBytes("flight"));
        }
        assertNoKey(strings, new byte[] {'a', 0});
        assertNoKey(strings, new byte[] {'a', 0, 2});
        assertNoKey(numbers, Arrays.copyOf(key(numbers, 7L), 8));
        assertNoKey(numbers, key(codecOf(ColumnTypes.INT), 7));
    }

    private static String text(byte[] bytes) {
        return Bytes.toStringBinary(bytes);
    }

    private static void assertNoKey(IndexKeyCodec codec, byte[] bytes) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.decode(bytes))
                .withMessageStartingWith("Not a key of an index on ");
    }

    private static byte[] key(IndexKeyCodec codec, Object value) throws UndecodableValueException {
        ColumnType type = value instanceof String
                ? ColumnTypes.STRING
                : value instanceof Long
                        ? ColumnTypes.LONG
                        : value instanceof Integer ? ColumnTypes.INT : ColumnTypes.DOUBLE;
        return codec.encode(List.of(type.toValue(value)), ROW);
    }

    private static IndexKeyCodec codecOf(ColumnType... types) {
        IndexDefinition.Builder builder = IndexDefinition.builder(TableName.valueOf("t"), "i");
        for (int i = 0; i < types.length; i++) {
            builder.column("f", "q" + i, types[i]);
        }
        return new IndexKeyCodec(builder.build());
    }

    private static void addRuns(Set<byte[]> runs, byte[] alphabet, int maxLength) {
        List<byte[]> previous = List.of(new byte[0]);
        runs.addAll(previous);
        for (int length = 1; length <= maxLength; length++) {
            List<byte[]> longer = new ArrayList<>();
            for (byte[] run : previous) {
                for (byte b : alphabet) {
                    longer.add(Bytes.add(run, new byte[] {b}));
                }
            }
            runs.addAll(longer);
            previous = longer;
        }
    }
}
