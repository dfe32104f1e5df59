package org.diffindex.verify;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;

/** The place of a difference: a base row that lacks its entry, or a row of the index table. Immutable. */
record Place(boolean missing, ImmutableBytesWritable key) {
    /** The most differences that are looked at, or repaired, together. */
    static final int PAGE = 500;

    /** The most bytes of keys, and of rows' keys, in a page of repairs. */
    private static final long PAGE_BYTES = 1 << 20;

    /** Returns the place of a difference. */
    static Place of(Sight sight) {
        return new Place(sight.found().isEmpty(), new ImmutableBytesWritable(sight.place()));
    }

    /** Returns the place of a base row that lacks its entry. */
    static Place missing(byte[] row) {
        return new Place(true, new ImmutableBytesWritable(row));
    }

    /** Splits differences into pages that are repaired in one call each, small enough for a server's memory. */
    static List<List<Sight>> pagesToRepair(List<Sight> sights) {
        List<List<Sight>> pages = new ArrayList<>();
        int from = 0;
        long bytes = 0;
        for (int i = 0; i < sights.size(); i++) {
            if (i - from == PAGE || (i > from && bytes + sights.get(i).bytes() > PAGE_BYTES)) {
                pages.add(sights.subList(from, i));
                from = i;
                bytes = 0;
            }
            bytes += sights.get(i).bytes();
        }
        if (from < sights.size()) {
            pages.add(sights.subList(from, sights.size()));
        }
        return pages;
    }

    /** Splits a list into pages of the given size; the last may be smaller. */
    static <T> List<List<T>> pages(List<T> all, int size) {
        List<List<T>> pages = new ArrayList<>();
        for (int from = 0; from < all.size(); from += size) {
            pages.add(all.subList(from, Math.min(all.size(), from + size)));
        }
        return pages;
    }
}
