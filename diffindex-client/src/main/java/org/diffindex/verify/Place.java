package org.diffindex.verify;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;

/** Where a difference is: a base row that lacks its entry, or a row of the index table. Immutable. */
record Place(boolean missing, ImmutableBytesWritable key) {
    private static final int PAGE = 500;

    /** The place of a difference. */
    static Place of(Sight sight) {
        return new Place(sight.found().isEmpty(), new ImmutableBytesWritable(sight.place()));
    }

    /** That of a base row that lacks its entry. */
    static Place missing(byte[] row) {
        return new Place(true, new ImmutableBytesWritable(row));
    }

    /** Cuts a list into parts that are looked at, or repaired, together. */
    static <T> List<List<T>> pages(List<T> all) {
        List<List<T>> pages = new ArrayList<>();
        for (int from = 0; from < all.size(); from += PAGE) {
            pages.add(all.subList(from, Math.min(all.size(), from + PAGE)));
        }
        return pages;
    }
}
