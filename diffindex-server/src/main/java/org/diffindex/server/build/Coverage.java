package org.diffindex.server.build;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.tasks.KeyRange;

/** The rows that a build has backfilled, as ranges of keys. Safe for use by many threads. */
final class Coverage {
    /** The end of each range, exclusive, by its start; an empty end is the table's. */
    private final NavigableMap<byte[], byte[]> ends = new TreeMap<>(Bytes.BYTES_COMPARATOR);

    /** Adds the rows of a range. */
    synchronized void add(KeyRange range) {
        ends.merge(range.start(), range.end(), Coverage::later);
    }

    private static byte[] later(byte[] end, byte[] other) {
        if (end.length == 0 || other.length == 0) {
            return HConstants.EMPTY_END_ROW;
        }
        return Bytes.compareTo(end, other) > 0 ? end : other;
    }

    /** Returns the ranges of all other rows, in key order. */
    synchronized List<KeyRange> gaps() {
        List<KeyRange> gaps = new ArrayList<>();
        byte[] reached = HConstants.EMPTY_START_ROW;
        for (Map.Entry<byte[], byte[]> range : ends.entrySet()) {
            if (Bytes.compareTo(range.getKey(), reached) > 0) {
                gaps.add(new KeyRange(reached, range.getKey()));
            }
            if (range.getValue().length == 0) {
                return gaps;
            }
            reached = Bytes.compareTo(range.getValue(), reached) > 0 ? range.getValue() : reached;
        }
        gaps.add(new KeyRange(reached, HConstants.EMPTY_END_ROW));
        return gaps;
    }

    /** Returns the parts of a range that are not backfilled, in key order. */
    List<KeyRange> gapsWithin(KeyRange range) {
        return gaps().stream()
                .filter(gap -> !gap.endsBy(range.start()) || range.start().length == 0)
                .filter(gap -> !range.endsBy(gap.start()) || gap.start().length == 0)
                .map(gap -> new KeyRange(
                        Bytes.compareTo(gap.start(), range.start()) < 0 ? range.start() : gap.start(),
                        range.endsBy(gap.end()) ? range.end() : gap.end()))
                .toList();
    }
}
