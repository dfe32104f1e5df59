package org.diffindex.server.maintain;

import java.time.InstantSource;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Gives each write of a row a <em>stamp</em>: a time in milliseconds that is later than every stamp that the row had before.
 *
 * <p>Stamps follow the server's clock. A row that is written more often than once in a millisecond runs ahead of it, by at
 * most {@link #MOST_AHEAD_MS}; then its writes are refused until the clock has caught up. No row moves another one's stamps
 * while the clock is past the <em>floor</em>, the highest stamp that any row had which is not known here by name: one that
 * another server gave, or this one before its clock jumped back. While the clock is behind the floor, all stamps are later
 * than the floor, and are no good as timestamps of cells ({@link Stamp#isTimestamp}).
 *
 * <p>Known by name are only the rows whose last stamp is not in the past yet; mostly that is none, since a write takes longer
 * than a millisecond.
 *
 * <p>One clock serves one region. Safe for use by many threads; of each row one thread at a time may hold a stamp, from {@link
 * #next} to {@link #passed}.
 */
public class RowClock {
    /** How far stamps run ahead of the clock, at most, because of how often a row is written. */
    public static final long MOST_AHEAD_MS = 1_000;

    /** So many rows are kept at any time; more only until the millisecond of their writes is over. */
    private static final int FEW_ROWS = 16;

    /** So many are kept while the clock is behind the floor, until when no row is in the past. */
    private static final int ROWS_BEHIND_FLOOR = 128;

    private static final int MOST_ROWS = 4_096;

    private final InstantSource source;

    /**
     * The rows whose last stamp is not in the past, with that stamp. Of all others the last stamp is not after the floor. Without
     * a table, which would stay as large as a batch once was.
     */
    private final ConcurrentMap<ImmutableBytesWritable, Stamp> rows = new ConcurrentSkipListMap<>();

    private final AtomicLong floor = new AtomicLong();
    private final AtomicLong highest = new AtomicLong();

    /** The clock when the rows were last looked through. */
    private volatile long sweptAt;

    public RowClock(InstantSource source) {
        this.source = source;
    }

    /**
     * One or more stamps of a row, one after the other.
     *
     * @param first the first of them
     * @param last the last of them
     * @param since the time from which on the row has had a stamp for each write, one after the other
     * @param clock what the server's clock showed
     * @param floor what the floor was then
     */
    public record Stamp(long first, long last, long since, long clock, long floor) {
        /** Whether the stamps can be timestamps of cells: they run ahead of the clock for no other row's sake. */
        public boolean isTimestamp() {
            return clock > floor;
        }

        private long aheadOfClock() {
            return last - Math.max(clock, since);
        }
    }

    /**
     * The next stamps of a row, which nobody else may ask for until {@link #passed}.
     *
     * @throws RegionTooBusyException if they would be too far ahead of the clock; none are given
     */
    public Stamp next(ImmutableBytesWritable row, int count) throws RegionTooBusyException {
        return next(row, count, 0);
    }

    /**
     * As {@link #next(ImmutableBytesWritable, int)}, but the stamps are not before a time, unless that is further ahead of the clock
     * than stamps may be.
     *
     * @param notBefore milliseconds since the epoch; 0 for any time
     */
    public Stamp next(ImmutableBytesWritable row, int count, long notBefore) throws RegionTooBusyException {
        Stamp before = rows.get(row); // first of all, see forget
        long behind = floor.get();
        long now = source.millis();
        long earliest = Math.max(now, behind + 1);
        boolean goesOn = before != null && before.last >= earliest;
        long first = goesOn ? before.last + 1 : earliest;
        if (notBefore <= now + MOST_AHEAD_MS) {
            first = Math.max(first, notBefore);
        }
        Stamp stamp = new Stamp(first, first + count - 1, goesOn ? before.since : earliest, now, behind);
        if (stamp.isTimestamp() && stamp.aheadOfClock() > MOST_AHEAD_MS) {
            throw new RegionTooBusyException(
                    "The row was written more than once in each millisecond of the last second;"
                            + " nothing was written, try again later [row="
                            + Bytes.toStringBinary(row.get(), row.getOffset(), row.getLength()) + "]");
        }
        raise(highest, stamp.last);
        return stamp;
    }

    /** A stamp of a row for something that is over at once, since it is no write. While the row is locked. */
    public long nextAndPassed(ImmutableBytesWritable row) throws RegionTooBusyException {
        Stamp stamp = next(row, 1);
        passed(row, stamp);
        return stamp.last;
    }

    /** The write that had these stamps is over, whatever came of it. While nobody else can ask for the row's next ones. */
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

    /** As if the row had a write of this stamp just now. */
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

    /** In this order: a row that is not there any more must find the floor raised. */
    private void forget(ImmutableBytesWritable row, Stamp stamp) {
        raise(floor, stamp.last);
        rows.remove(row, stamp);
    }

    /** Makes every later stamp later than the given one: one that another server gave to a row of the region. */
    public void raise(long stamp) {
        raise(floor, stamp);
        raise(highest, stamp);
    }

    private static void raise(AtomicLong to, long time) {
        if (to.get() < time) {
            to.accumulateAndGet(time, Math::max);
        }
    }

    /** No row has a stamp after this, of this clock or of those that it was raised for; 0 if none has any. */
    public long highest() {
        forgetPassed(source.millis());
        return highest.get();
    }

    /** How many rows are known by name. */
    int rowsKept() {
        return rows.size();
    }
}
