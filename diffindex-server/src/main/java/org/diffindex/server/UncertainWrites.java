package org.diffindex.server;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;

/**
 * The writes of one region that failed after they were passed to the WAL. HBase reports them as failed and does not
 * show them; if the WAL contains them nevertheless, a replay restores them, with their stamps. Until the region is
 * opened again, index entries at such a stamp must not be deleted, since the tombstone would hide what the replay puts
 * there. Later writes of the row must have later timestamps, since a restored tombstone would hide them.
 *
 * <p>Takes about 90 KB at most, whatever the length of the row keys. Thread-safe.
 */
class UncertainWrites {
    /**
     * The maximum number of rows that are tracked individually. Beyond that, every row counts as uncertain from the
     * lowest stamp of the further rows on.
     */
    private static final int MOST_ROWS = 1_000;

    /**
     * A summary of uncertain writes.
     *
     * @param lowestStamp the lowest of their stamps
     * @param latestTime the latest timestamp that the server chose for one of their cells
     */
    private record Uncertain(long lowestStamp, long latestTime) {
        private static final Uncertain NONE = new Uncertain(Long.MAX_VALUE, 0);

        Uncertain and(Uncertain other) {
            return new Uncertain(Math.min(lowestStamp, other.lowestStamp), Math.max(latestTime, other.latestTime));
        }
    }

    /** The uncertain writes by hash of the row key; rows with the same hash share one summary. Guarded by this. */
    private final Map<Integer, Uncertain> rows = new HashMap<>(0);

    /** The uncertain writes of all rows beyond {@link #MOST_ROWS}. Guarded by this. */
    private Uncertain others = Uncertain.NONE;

    /**
     * Adds a write that failed in the WAL. The row must be locked.
     *
     * @param stamp its first stamp
     * @param time the latest timestamp that the server chose for one of its cells
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
     * Returns the latest timestamp that the server chose for a cell of an uncertain write of a row; 0 if there is none.
     * Later writes of the row must have later timestamps, or a replay hides them.
     */
    synchronized long latestTime(ImmutableBytesWritable row) {
        return of(row).latestTime;
    }

    /** Returns the times at which puts are visible even if a replay restores uncertain writes. */
    RowWrites.Times after(RowWrites.Times visible) {
        return (row, families, clock, stamp) -> Math.min(
                stamp,
                Math.max(
                        visible.earliest(row, families, clock, stamp),
                        latestTime(new ImmutableBytesWritable(row)) + 1));
    }

    /** Returns the latest stamp, at most the given one, up to which entries of a row may be deleted. */
    synchronized long bound(ImmutableBytesWritable row, long stamp) {
        return Math.min(stamp, of(row).lowestStamp - 1);
    }
}
