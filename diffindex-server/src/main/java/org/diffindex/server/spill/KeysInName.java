package org.diffindex.server.spill;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The key range in the name of a spill file or folder: {@code START-END} in hexadecimal, each key truncated to 24 bytes
 * and followed by {@code +} if it was longer. This keeps the whole name, with those of the region, the file and a mark,
 * below the limit of 255 characters for a file name.
 *
 * @param start the start key, or its first bytes
 * @param startIsCut whether the start key is truncated
 * @param end the end key, or its first bytes; empty if the range is unbounded
 * @param endIsCut whether the end key is truncated
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record KeysInName(byte[] start, boolean startIsCut, byte[] end, boolean endIsCut) {
    /** Matches the results of {@link #of}, as a regular expression. */
    static final String PATTERN = "[0-9a-f]*\\+?-[0-9a-f]*\\+?";

    private static final int MOST_BYTES = 24;
    private static final Pattern KEYS = Pattern.compile("\\.([0-9a-f]*)(\\+?)-([0-9a-f]*)(\\+?)(\\.|$)");

    static String of(KeyRange range) {
        return text(range.start()) + "-" + text(range.end());
    }

    private static String text(byte[] key) {
        return Bytes.toHex(key, 0, Math.min(MOST_BYTES, key.length)) + (key.length > MOST_BYTES ? "+" : "");
    }

    /** Returns the keys in a file's name; empty if it contains none. */
    static Optional<KeysInName> in(String name) {
        Matcher keys = KEYS.matcher(name);
        return keys.find()
                ? Optional.of(new KeysInName(
                        Bytes.fromHex(keys.group(1)),
                        !keys.group(2).isEmpty(),
                        Bytes.fromHex(keys.group(3)),
                        !keys.group(4).isEmpty()))
                : Optional.empty();
    }

    /** Returns the range; empty if one of its keys is truncated. */
    Optional<KeyRange> whole() {
        return startIsCut || endIsCut ? Optional.empty() : Optional.of(new KeyRange(start, end));
    }

    /** Returns whether the range may have a key in common with another one; false only if it certainly has none. */
    boolean mayOverlap(KeyRange other) {
        return new KeyRange(start, endIsCut ? firstBehind(end) : end).overlaps(other);
    }

    /** Returns the first key that is greater than all keys with a prefix; empty if there is none. */
    private static byte[] firstBehind(byte[] prefix) {
        for (byte each : prefix) {
            if (each != (byte) 0xFF) {
                return Bytes.unsignedCopyAndIncrement(prefix);
            }
        }
        return HConstants.EMPTY_END_ROW;
    }
}
