package org.diffindex.server.spill;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The key range of a spill file as its name tells it: {@code START-END} in hexadecimal, each key cut off after 24 bytes, with a
 * {@code +} behind it if that has cut something off. So the name stays shorter than the 255 characters of a file's name,
 * with the name of the region, of the file and of a mark beside it.
 *
 * @param start the start, or its first bytes
 * @param startIsCut whether there is more of it
 * @param end the end, or its first bytes; empty if the range is open
 * @param endIsCut whether there is more of it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record KeysInName(byte[] start, boolean startIsCut, byte[] end, boolean endIsCut) {
    /** What {@link #of} gives, as a regular expression. */
    static final String PATTERN = "[0-9a-f]*\\+?-[0-9a-f]*\\+?";

    private static final int MOST_BYTES = 24;
    private static final Pattern KEYS = Pattern.compile("\\.([0-9a-f]*)(\\+?)-([0-9a-f]*)(\\+?)(\\.|$)");

    static String of(KeyRange range) {
        return text(range.start()) + "-" + text(range.end());
    }

    private static String text(byte[] key) {
        return Bytes.toHex(key, 0, Math.min(MOST_BYTES, key.length)) + (key.length > MOST_BYTES ? "+" : "");
    }

    /** The keys in a file's name; nothing if it has none. */
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

    /** The range, if the name has it whole. */
    Optional<KeyRange> whole() {
        return startIsCut || endIsCut ? Optional.empty() : Optional.of(new KeyRange(start, end));
    }

    /** Whether the range may have a key in common with another. False only if it surely has none. */
    boolean mayOverlap(KeyRange other) {
        return new KeyRange(start, endIsCut ? firstBehind(end) : end).overlaps(other);
    }

    /** The first key that is greater than all with a prefix; empty if none is. */
    private static byte[] firstBehind(byte[] prefix) {
        for (byte each : prefix) {
            if (each != (byte) 0xFF) {
                return Bytes.unsignedCopyAndIncrement(prefix);
            }
        }
        return HConstants.EMPTY_END_ROW;
    }
}
