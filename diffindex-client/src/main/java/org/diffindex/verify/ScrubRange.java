package org.diffindex.verify;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The rows of a table from a start key, inclusive, to an end key, exclusive; an empty end is the table's. A range is a
 * region as it was when the scrub began. Immutable.
 */
final class ScrubRange {
    private static final int DIGITS = 6;

    private final byte[] start;
    private final byte[] end;
    private final byte[] first;
    private final byte[] last;

    /**
     * Creates a range.
     *
     * @param first approximately the first key in it, for {@link #fraction}
     * @param last approximately the last one
     */
    ScrubRange(byte[] start, byte[] end, byte[] first, byte[] last) {
        this.start = start;
        this.end = end;
        this.first = first;
        this.last = last;
    }

    /**
     * Returns the ranges between the start keys of a table's regions. Each ends where the next one starts, so that no
     * row is left out, even if the known regions do not adjoin.
     *
     * @param first approximately the first key of the table, for {@link #fraction}
     * @param last approximately the last one
     */
    static List<ScrubRange> startingAt(Collection<byte[]> starts, byte[] first, byte[] last) {
        NavigableSet<byte[]> sorted = new TreeSet<>(Bytes.BYTES_COMPARATOR);
        sorted.add(HConstants.EMPTY_START_ROW);
        sorted.addAll(starts);
        List<ScrubRange> ranges = new ArrayList<>();
        for (byte[] start : sorted) {
            byte[] next = sorted.higher(start);
            ranges.add(new ScrubRange(
                    start,
                    next == null ? HConstants.EMPTY_END_ROW : next,
                    start.length == 0 ? first : start,
                    next == null ? last : next));
        }
        return ranges;
    }

    byte[] start() {
        return start;
    }

    byte[] end() {
        return end;
    }

    /** Makes a scan read the range from its end to its start; returns the same scan. */
    Scan reverse(Scan scan) {
        return scan.setReversed(true).withStartRow(end, end.length == 0).withStopRow(start, true);
    }

    /**
     * Estimates the fraction of the range that lies before one of its keys, from 0 to 1, as if keys were spread evenly.
     */
    double fraction(byte[] key) {
        int common = Math.max(0, Arrays.mismatch(first, last));
        double from = number(first, common);
        double to = number(last, common);
        return to <= from ? 0 : Math.min(1, Math.max(0, (number(key, common) - from) / (to - from)));
    }

    /** Returns the bytes from an offset on as the digits of a number. */
    private static double number(byte[] key, int offset) {
        double number = 0;
        for (int i = offset; i < offset + DIGITS; i++) {
            number = number * 256 + (i < key.length ? key[i] & 0xff : 0);
        }
        return number;
    }
}
