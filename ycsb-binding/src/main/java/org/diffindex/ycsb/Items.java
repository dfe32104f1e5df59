package org.diffindex.ycsb;

import java.math.BigInteger;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The rows of the paper's {@code item} table as functions of an item's number and version, which determine the entries
 * that an index must contain. Pure.
 *
 * <p>The row key is the item's number, mixed, as 16 hexadecimal digits: unique, and spread evenly. A title consists of
 * 16 mixed digits, the number and the version, {@code 0123456789abcdef-000000000042-7}, and so belongs to one item
 * only. Prices are spread evenly over {@link #PRICES} values, so that a share of the prices is the same share of the
 * items.
 */
public final class Items {
    /** The column of titles. */
    public static final String TITLE = "item_title";

    /** The column of prices. */
    public static final String PRICE = "item_price";

    /** The columns of random bytes. */
    public static final List<String> FILLERS =
            IntStream.range(0, 8).mapToObj(i -> "item_field" + i).toList();

    static final List<String> COLUMNS =
            Stream.concat(Stream.of(TITLE, PRICE), FILLERS.stream()).toList();

    /** Prices range from 0, inclusive, to this, exclusive. */
    static final long PRICES = 1_000_000_000;

    private static final int NUMBER_DIGITS = 12;

    private Items() {}

    /** Returns the row key of an item. */
    public static String key(long item) {
        return HexFormat.of().toHexDigits(mix(item));
    }

    /** Returns the title of an item in one of its versions. */
    public static String title(long item, int version) {
        String number = Long.toString(item);
        return HexFormat.of().toHexDigits(mix(mix(item) + version)) + "-"
                + "0".repeat(Math.max(0, NUMBER_DIGITS - number.length())) + number + "-" + version;
    }

    /** Returns the version that a title belongs to; empty if it is not a title of that item. */
    static OptionalInt versionOf(long item, String title) {
        String text = title.substring(title.lastIndexOf('-') + 1);
        try {
            int version = Integer.parseInt(text);
            return title(item, version).equals(title) ? OptionalInt.of(version) : OptionalInt.empty();
        } catch (NumberFormatException e) {
            return OptionalInt.empty();
        }
    }

    /** Returns the price of an item in one of its versions. */
    public static long price(long item, int version) {
        return Long.remainderUnsigned(mix(mix(item) ^ ~(long) version), PRICES);
    }

    /** Returns the title's bytes in the table. */
    public static byte[] titleBytes(long item, int version) {
        return Bytes.toBytes(title(item, version));
    }

    /** Returns the price's bytes in the table. */
    public static byte[] priceBytes(long item, int version) {
        return Bytes.toBytes(price(item, version));
    }

    /**
     * Returns the split points that divide all strings of 16 hexadecimal digits, and so keys and titles, into the given
     * number of even parts.
     */
    public static List<String> splits(int regions) {
        BigInteger whole = BigInteger.ONE.shiftLeft(Long.SIZE);
        return IntStream.range(1, regions)
                .mapToObj(i ->
                        "%016x".formatted(whole.multiply(BigInteger.valueOf(i)).divide(BigInteger.valueOf(regions))))
                .toList();
    }

    /**
     * Applies the finalizer of SplitMix64 (Steele, Lea, Flood: OOPSLA 2014): a bijection that spreads numbers evenly.
     */
    private static long mix(long number) {
        long z = number + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
