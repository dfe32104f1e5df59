package org.diffindex.server;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;

/**
 * The writes of one region that failed after they were handed to the WAL. HBase reports them as failed and does not show them;
 * if the WAL has them all the same, a replay brings them back, with the stamps that they had. Until the region is opened
 * again, index entries at such a stamp must not be deleted: the tombstone would hide what the replay puts there.
 *
 * <p>Takes up to some 80 KB, whatever the length of the row keys. Safe for use by many threads.
 */
final class UncertainWrites {
    /** The most rows that are told apart; of more than these, all rows count as uncertain from the lowest stamp on. */
    private static final int MOST_ROWS = 1_000;

    /** The lowest uncertain stamp of each row, by the hash of its key: rows that share one share the stamp. Guarded by this. */
    private final Map<Integer, Long> rows = new HashMap<>(0);

    /** The lowest uncertain stamp among all rows that found no place. Guarded by this. */
    private long lowestOfOthers = Long.MAX_VALUE;

    /** A write of a row at that stamp, and at later ones, failed in the WAL. While the row is locked. */
    synchronized void add(ImmutableBytesWritable row, long stamp) {
        if (rows.size() < MOST_ROWS || rows.containsKey(row.hashCode())) {
            rows.merge(row.hashCode(), stamp, Math::min);
        } else {
            lowestOfOthers = Math.min(lowestOfOthers, stamp);
        }
    }

    /** The latest stamp up to which entries of a row may be deleted, if otherwise they may up to the given one. */
    synchronized long bound(ImmutableBytesWritable row, long stamp) {
        long lowest = Math.min(lowestOfOthers, rows.getOrDefault(row.hashCode(), Long.MAX_VALUE));
        return Math.min(stamp, lowest - 1);
    }
}
