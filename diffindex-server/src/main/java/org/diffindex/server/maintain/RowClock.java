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
 * Stamp#isTimestamp}), and the limit does not apply. A row to which a replay has given stamps has a floor of its own.
 *
 * <p>A row is tracked individually only while its last stamp is not yet in the past, or until the next sweep after
 * that. Usually no row is, since a write takes longer than a millisecond.
 *
 * <p>Writes that concern no index take no stamp, but the timestamps that the server gives them are in the row's order
 * too: not before the row's last stamp, and after it if a tombstone may have that time ({@link #follows}, {@link
 * #timeAfter}).
 *
 * <p>One clock serves one region. Thread-safe, provided that at most one thread at a time holds a stamp of a given row,
 * from {@link #next} to {@link #passed}. The times of writes without a stamp may be requested at any moment.
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
     * The last time of each tracked row. That of any other row is not after the floor. A skip list, because a hash
     * table would keep the size of its largest batch.
     */
    private final ConcurrentMap<ImmutableBytesWritable, Last> rows = new ConcurrentSkipListMap<>();

    private final AtomicLong floor = new AtomicLong();

    /**
     * The latest time that a clock has led to: a reading of this server's clock, or what {@link #raise(long)} has raised
     * the floor to. Sweeps raise the floor further.
     */
    private final AtomicLong ofClocks = new AtomicLong();

    /** The latest time that HBase read from the clock for a put without a stamp. */
    private final AtomicLong given = new AtomicLong();

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
     * @param floor the floor at that time, the row's own if that is higher
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
     * A reading of the clock.
     *
     * @param now the server's clock
     * @param floor the floor; if the clock has jumped back, it includes the times of puts without a stamp
     */
    private record Reading(long now, long floor) {
        boolean isPastFloor() {
            return now > floor;
        }

        long earliest() {
            return Math.max(now, floor + 1);
        }

        Stamp stamp(long first, int count, Last before) {
            return new Stamp(first, first + count - 1, before == null ? first : before.since, now, floor);
        }
    }

    /**
     * The last stamp of a row, or a later time of a write without a stamp.
     *
     * @param time the stamp or time
     * @param since the start of the row's current run of consecutive stamps
     * @param ofDelete whether a tombstone may have that time
     * @param floor the floor of this row alone, to which a replay has led it; 0 if it has none
     */
    private record Last(long time, long since, boolean ofDelete, long floor) {
        Last(long time, long since, boolean ofDelete) {
            this(time, since, ofDelete, 0);
        }

        boolean isFollowedBy(long put) {
            return ofDelete ? put > time : put >= time;
        }

        Last and(Last other) {
            long higher = Math.max(floor, other.floor);
            if (time == other.time) {
                return new Last(time, Math.min(since, other.since), ofDelete || other.ofDelete, higher);
            }
            Last later = time > other.time ? this : other;
            return new Last(later.time, later.since, later.ofDelete, higher);
        }
    }

    /**
     * Returns the next stamps of a row, which no other thread may request until {@link #passed}.
     *
     * @throws RegionTooBusyException if the row's stamps would run more than {@link #MOST_AHEAD_MS} ahead of the clock;
     *     none are assigned
     */
    public Stamp next(ImmutableBytesWritable row, int count) throws RegionTooBusyException {
        Stamp stamp = following(row, count);
        refuseIfTooFarAhead(row, stamp);
        raise(highest, stamp.last);
        return stamp;
    }

    private Stamp following(ImmutableBytesWritable row, int count) {
        Last before = rows.get(row); // before reading the floor, see forget
        Reading clock = read(before);
        boolean goesOn = before != null && before.time >= clock.earliest();
        long first = goesOn ? before.time + 1 : clock.earliest();
        return clock.stamp(first, count, goesOn ? before : null);
    }

    /** Reads the clock for a row, which may have a floor of its own. */
    private Reading read(Last before) {
        Reading clock = read();
        return before == null || before.floor <= clock.floor ? clock : new Reading(clock.now, before.floor);
    }

    /** Reads the clock last, so that it is behind what was read before only if it jumped back. */
    private Reading read() {
        long latest = given.get();
        long behind = floor.get();
        long now = source.millis();
        raise(ofClocks, now);
        return new Reading(now, now < latest ? Math.max(behind, latest) : behind);
    }

    private static void refuseIfTooFarAhead(ImmutableBytesWritable row, Stamp stamp) throws RegionTooBusyException {
        if (stamp.isTimestamp() && stamp.aheadOfClock() > MOST_AHEAD_MS) {
            throw new RegionTooBusyException(
                    "The row was written so often that its stamps would run more than a second ahead of the clock;"
                            + " nothing was written, try again later [row="
                            + Bytes.toStringBinary(row.get(), row.getOffset(), row.getLength()) + "]");
        }
    }

    /**
     * Shows the stamps of a write that is in flight to writes without a stamp, which do not wait for it: if a tombstone
     * has the last of them, or if they run ahead of the clock.
     *
     * @param ofDelete whether a tombstone has the last of the stamps as its time
     */
    public void announce(ImmutableBytesWritable row, Stamp stamp, boolean ofDelete) {
        if (ofDelete || stamp.last > stamp.clock) {
            rows.merge(row, new Last(stamp.last, stamp.since, ofDelete), Last::and);
        }
    }

    /**
     * Returns whether a put that takes no stamp is visible after all earlier writes of its row.
     *
     * @param time the time that HBase gave to the put
     */
    public boolean follows(ImmutableBytesWritable row, long time) {
        Last before = rows.get(row); // before reading the floor, see forget
        return (before == null || before.isFollowedBy(time)) && floor.get() < time && given.get() <= time;
    }

    /** Records a time that HBase read from the clock for a put that takes no stamp. */
    public void given(long time) {
        raise(given, time);
        raise(highest, time);
    }

    /**
     * Records the time of a cell that HBase dated after the cell that it continues. Ignores a time that follows one
     * that a client gave, which is further ahead than any that this clock may have led to; and one that is further ahead
     * of every clock than a stamp may be: HBase dates a counter ahead without a bound, which must neither keep the row's
     * indexed writes out nor date other rows. The floor would be no bound, because a sweep raises it to the counter.
     */
    public void continued(ImmutableBytesWritable row, long time) {
        Last before = rows.get(row); // before reading the floor, see forget
        Reading clock = read();
        long present = Math.max(clock.now, clock.floor);
        boolean goesOn = before != null && before.time > present;
        long next = (goesOn ? before.time : present) + 1;
        long most = Math.max(given.get(), ofClocks.get()) + MOST_AHEAD_MS;
        if (time <= clock.now) {
            given(time);
        } else if (time <= Math.min(next, most)) {
            raise(highest, time);
            passed(row, new Last(time, goesOn ? before.since : present, false));
        }
    }

    /**
     * Returns one or two consecutive times for a write of a row that takes no stamp: the clock's, or the row's last stamp
     * or time if that is later, or the one after it for a put that a tombstone might hide. If the result {@link
     * Stamp#isTimestamp is no timestamp}, it is only an upper bound of the write's timestamps.
     *
     * @param count 2 if the write puts what it has deleted before, which needs a second time; else 1
     * @param puts whether the write puts cells
     * @param deletes whether the write has tombstones, which get the first time
     * @throws RegionTooBusyException if puts after deletes would date the row more than {@link #MOST_AHEAD_MS} ahead of
     *     the clock
     */
    public Stamp timeAfter(ImmutableBytesWritable row, int count, boolean puts, boolean deletes)
            throws RegionTooBusyException {
        Last before = rows.get(row); // before reading the floor, see forget
        Reading clock = read(before);
        boolean goesOn = before != null && before.time >= clock.earliest();
        boolean isShared = goesOn && clock.isPastFloor() && !(puts && before.ofDelete);
        long first = !goesOn ? clock.earliest() : isShared ? before.time : before.time + 1;
        Stamp stamp = clock.stamp(first, count, goesOn ? before : null);
        if (!isShared || count > 1) {
            refuseIfTooFarAhead(row, stamp);
        }
        if (deletes || first > clock.now) {
            raise(highest, stamp.last);
            passed(row, new Last(stamp.last, stamp.since, deletes && count == 1));
        } else {
            given(first);
        }
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
     * Returns a stamp of a row for a replayed write, which is durable and cannot be refused, however often the row was
     * written. The stamp is the floor of this row alone, because a replay takes less than a millisecond for a write.
     */
    public long nextReplayed(ImmutableBytesWritable row) {
        long stamp = following(row, 1).last;
        raise(highest, stamp);
        passed(row, new Last(stamp, stamp, false, stamp));
        return stamp;
    }

    /**
     * Ends the write that holds these stamps, whether it succeeded or not. No other thread may request the row's next
     * stamps concurrently.
     */
    public void passed(ImmutableBytesWritable row, Stamp stamp) {
        passed(row, new Last(stamp.last, stamp.since, false));
    }

    private void passed(ImmutableBytesWritable row, Last last) {
        long now = source.millis();
        if (last.time < now) {
            raise(floor, last.time);
        } else {
            rows.merge(row, last, Last::and);
        }
        if (rows.size() > FEW_ROWS) {
            sweep(now);
        }
    }

    /** Records a stamp or time as the row's last, as if a write with it ended now. */
    public void passed(ImmutableBytesWritable row, long stamp) {
        raise(highest, stamp);
        passed(row, new Last(stamp, stamp, false));
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
        rows.forEach((row, last) -> {
            if (last.time < now) {
                forget(row, last);
            }
        });
    }

    /** Raises the floor first: a thread that no longer finds the row must find the floor raised. */
    private void forget(ImmutableBytesWritable row, Last last) {
        raise(floor, last.time);
        rows.remove(row, last);
    }

    /** Returns a time that no stamp precedes which any row gets from now on, even if the clock jumps back. */
    public long earliestFromNow() {
        long earliest = read().earliest();
        raise(earliest - 1);
        return earliest;
    }

    /** Makes every later stamp later than the given one, which another server assigned to a row of the region. */
    public void raise(long stamp) {
        raise(ofClocks, stamp);
        raise(floor, stamp);
        raise(highest, stamp);
    }

    private static void raise(AtomicLong to, long time) {
        if (to.get() < time) {
            to.accumulateAndGet(time, Math::max);
        }
    }

    /**
     * Returns an upper bound of all stamps and times assigned by this clock, recorded by {@link
     * #passed(ImmutableBytesWritable, long)} or passed to {@link #raise(long)}; 0 if there are none. Stops tracking rows
     * whose last stamp is in the past.
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
