package org.diffindex.server.maintain;

import java.time.InstantSource;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Gives each write of a row a time that is later than that of every write of the row before it, in milliseconds. It
 * follows the server's clock, and runs ahead of it while a row is written more than once in a millisecond or the clock
 * stands still or jumps back.
 *
 * <p>Rows share stripes, so that the memory is fixed; a shared stripe only makes a time later than it had to be. One
 * clock serves one region. Safe for use by many threads.
 */
public class RowClock {
    private static final int STRIPES = 4096;

    private final InstantSource source;
    private final AtomicLongArray last = new AtomicLongArray(STRIPES);

    /** Nothing is given a time at or before this. */
    private volatile long floor;

    public RowClock(InstantSource source) {
        this.source = source;
    }

    /** The next time for a row: at or after now, after the floor, and after any time given to the row before. */
    public long next(byte[] row) {
        long now = Math.max(source.millis(), floor + 1);
        return last.updateAndGet(stripeOf(row), given -> Math.max(given + 1, now));
    }

    /** Makes every later time later than the given one: a region was opened that holds cells of that time. */
    public synchronized void raise(long time) {
        floor = Math.max(floor, time);
    }

    /** No row has a time after this, of this clock or of those that it was raised for; 0 if none has any. */
    public long highest() {
        long highest = floor;
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            highest = Math.max(highest, last.get(stripe));
        }
        return highest;
    }

    private static int stripeOf(byte[] row) {
        int hash = Arrays.hashCode(row) * 0x9E3779B9;
        return hash >>> 20;
    }
}
