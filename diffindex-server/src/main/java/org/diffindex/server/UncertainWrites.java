package org.diffindex.server;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;

/**
 * The writes of one region that failed after they were handed to the WAL. HBase reports them as failed and does not show them;
 * if the WAL has them all the same, a replay brings them back, with the stamps that they had. Until the region is opened
 * again, index entries at such a stamp must not be deleted: the tombstone would hide what the replay puts there. And later
 * writes of the row must have later timestamps: a tombstone that comes back would hide them.
 *
 * <p>Takes up to some 90 KB, whatever the length of the row keys. Safe for use by many threads.
 */
class UncertainWrites {
    /** The most rows that are told apart; of more than these, all rows count as uncertain from the lowest stamp on. */
    private static final int MOST_ROWS = 1_000;

    /**
     * The uncertain writes of a row, or of some rows.
     *
     * @param lowestStamp the lowest stamp of any of them
     * @param latestTime the latest timestamp that the server chose for a cell of theirs
     */
    private record Uncertain(long lowestStamp, long latestTime) {
        private static final Uncertain NONE = new Uncertain(Long.MAX_VALUE, 0);

        Uncertain and(Uncertain other) {
            return new Uncertain(Math.min(lowestStamp, other.lowestStamp), Math.max(latestTime, other.latestTime));
        }
    }

    /** The uncertain writes of each row, by the hash of its key: rows with the same hash count as one. Guarded by this. */
    private final Map<Integer, Uncertain> rows = new HashMap<>(0);

    /** Those of all rows that found no place. Guarded by this. */
    private Uncertain others = Uncertain.NONE;

    /**
     * A write of a row failed in the WAL. While the row is locked.
     *
     * @param stamp its first stamp
     * @param time the latest timestamp that the server chose for a cell of it
     */
    synchronized void add(ImmutableBytesWritable row, long stamp, long time) {
        Uncertain write = new Uncertain(stamp, time);
        if (rows.size() < MOST_ROWS || rows.containsKey(row.hashCode())) {
            rows.merge(row.hashCode(), write, Uncertain::and);
        } else {
            others = others.and(write);
        }
    }

    private Uncertain of(ImmutableBytesWritable row) {
        return others.and(rows.getOrDefault(row.hashCode(), Uncertain.NONE));
    }

    /**
     * The latest timestamp that the server chose for a cell of an uncertain write of a row; 0 without any. Later writes of the
     * row must be later, or a replay hides them.
     */
    synchronized long latestTime(ImmutableBytesWritable row) {
        return of(row).latestTime;
    }

    /** Returns the times at which puts are seen also if a replay brings uncertain writes back. */
    RowWrites.Times after(RowWrites.Times visible) {
        return (row, families, clock, stamp) -> Math.min(
                stamp,
                Math.max(
                        visible.earliest(row, families, clock, stamp),
                        latestTime(new ImmutableBytesWritable(row)) + 1));
    }

    /** The latest stamp up to which entries of a row may be deleted, if otherwise they may up to the given one. */
    synchronized long bound(ImmutableBytesWritable row, long stamp) {
        return Math.min(stamp, of(row).lowestStamp - 1);
    }
}
