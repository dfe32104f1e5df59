package org.diffindex.server.maintain;

import java.time.InstantSource;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Assigns each write of a row a <em>stamp</em>: a time in milliseconds that is later than every earlier stamp of the
 * row.
 *
 * <p>Stamps follow the server's clock. The stamps of a row written more than once per millisecond run ahead of the
 * clock, by at most {@link #MOST_AHEAD_MS}; beyond that, its writes are refused until the clock catches up. No row
 * affects another's stamps while the clock is past the <em>floor</em>: the highest stamp of any row that is not tracked
 * individually, including stamps assigned by another server, or by this one before its clock jumped back. While the
 * clock is not past the floor, every stamp is later than the floor, none is valid as a cell timestamp ({@link
 * Stamp#isTimestamp}), and the limit does not apply.
 *
 * <p>A row is tracked individually only while its last stamp is not yet in the past, or until the next sweep after
 * that. Usually no row is, since a write takes longer than a millisecond.
 *
 * <p>One clock serves one region. Thread-safe, provided that at most one thread at a time holds a stamp of a given row,
 * from {@link #next} to {@link #passed}.
 */
public class RowClock {
    /**
     * The limit, in milliseconds, by which a row's stamps may run ahead of the clock because of the row's own write
     * rate.
     */
    public static final long MOST_AHEAD_MS = 1_000;

    /** The number of rows tracked without a sweep; above it, rows whose last stamp is in the past are dropped. */
    private static final int FEW_ROWS = 16;

    /** The most rows tracked while the clock is behind the floor, when no row's last stamp is in the past. */
    private static final int ROWS_BEHIND_FLOOR = 128;

    private static final int MOST_ROWS = 4_096;

    private final InstantSource source;

    /**
     * The last stamp of each tracked row. The last stamp of any other row is not after the floor. A skip list, because
     * a hash table would keep the size of its largest batch.
     */
    private final ConcurrentMap<ImmutableBytesWritable, Stamp> rows = new ConcurrentSkipListMap<>();

    private final AtomicLong floor = new AtomicLong();
    private final AtomicLong highest = new AtomicLong();

    /** The clock's time at the last sweep. */
    private volatile long sweptAt;

    public RowClock(InstantSource source) {
        this.source = source;
    }

    /**
     * One or more consecutive stamps of a row.
     *
     * @param first the first stamp
     * @param last the last stamp
     * @param since the start of the row's current run of consecutive stamps
     * @param clock the server's clock when the stamps were assigned
     * @param floor the floor at that time
     */
    public record Stamp(long first, long last, long since, long clock, long floor) {
        /**
         * Returns whether the stamps are valid as cell timestamps: they do not run ahead of the clock because of other
         * rows.
         */
        public boolean isTimestamp() {
            return clock > floor;
        }

        private long aheadOfClock() {
            return last - Math.max(clock, since);
        }
    }

    /**
     * Returns the next stamps of a row, which no other thread may request until {@link #passed}.
     *
     * @throws RegionTooBusyException if the row's stamps would run more than {@link #MOST_AHEAD_MS} ahead of the clock;
     *     none are assigned
     */
    public Stamp next(ImmutableBytesWritable row, int count) throws RegionTooBusyException {
        Stamp before = rows.get(row); // before reading the floor, see forget
        long behind = floor.get();
        long now = source.millis();
        long earliest = Math.max(now, behind + 1);
        boolean goesOn = before != null && before.last >= earliest;
        long first = goesOn ? before.last + 1 : earliest;
        Stamp stamp = new Stamp(first, first + count - 1, goesOn ? before.since : earliest, now, behind);
        if (stamp.isTimestamp() && stamp.aheadOfClock() > MOST_AHEAD_MS) {
            throw new RegionTooBusyException(
                    "The row was written so often that its stamps would run more than a second ahead of the clock;"
                            + " nothing was written, try again later [row="
                            + Bytes.toStringBinary(row.get(), row.getOffset(), row.getLength()) + "]");
        }
        raise(highest, stamp.last);
        return stamp;
    }

    /**
     * Returns a stamp of a row for an event that ends at once because it writes nothing. The caller holds the row's
     * lock.
     *
     * @throws RegionTooBusyException as {@link #next} does
     */
    public long nextAndPassed(ImmutableBytesWritable row) throws RegionTooBusyException {
        Stamp stamp = next(row, 1);
        passed(row, stamp);
        return stamp.last;
    }

    /**
     * Ends the write that holds these stamps, whether it succeeded or not. No other thread may request the row's next
     * stamps concurrently.
     */
    public void passed(ImmutableBytesWritable row, Stamp stamp) {
        long now = source.millis();
        if (stamp.last < now) {
            raise(floor, stamp.last);
        } else {
            rows.merge(row, stamp, (one, other) -> one.last > other.last ? one : other);
        }
        if (rows.size() > FEW_ROWS) {
            sweep(now);
        }
    }

    /** Records a stamp as the row's last, as if a write with it ended now. */
    public void passed(ImmutableBytesWritable row, long stamp) {
        raise(highest, stamp);
        passed(row, new Stamp(stamp, stamp, stamp, source.millis(), floor.get()));
    }

    private void sweep(long now) {
        if (now != sweptAt) {
            sweptAt = now;
            forgetPassed(now);
        }
        int most = now > floor.get() ? MOST_ROWS : ROWS_BEHIND_FLOOR;
        if (rows.size() > most) {
            rows.forEach(this::forget);
        }
    }

    private void forgetPassed(long now) {
        rows.forEach((row, stamp) -> {
            if (stamp.last < now) {
                forget(row, stamp);
            }
        });
    }

    /** Raises the floor first: a thread that no longer finds the row must find the floor raised. */
    private void forget(ImmutableBytesWritable row, Stamp stamp) {
        raise(floor, stamp.last);
        rows.remove(row, stamp);
    }

    /** Makes every later stamp later than the given one, which another server assigned to a row of the region. */
    public void raise(long stamp) {
        raise(floor, stamp);
        raise(highest, stamp);
    }

    private static void raise(AtomicLong to, long time) {
        if (to.get() < time) {
            to.accumulateAndGet(time, Math::max);
        }
    }

    /**
     * Returns an upper bound of all stamps assigned by this clock, recorded by {@link #passed(ImmutableBytesWritable,
     * long)} or passed to {@link #raise(long)}; 0 if there are none. Stops tracking rows whose last stamp is in the
     * past.
     */
    public long highest() {
        forgetPassed(source.millis());
        return highest.get();
    }

    /** Returns the number of rows tracked individually. */
    int rowsKept() {
        return rows.size();
    }
}
