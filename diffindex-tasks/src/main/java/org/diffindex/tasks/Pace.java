package org.diffindex.tasks;

import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Limits the number of rows read per second. Unlike Guava's RateLimiter it grants no credit for idle time, so that no
 * burst follows a lag, and its waits can be interrupted. Safe for use by many threads, which share the rate.
 */
public final class Pace {
    private static final int PARTS_OF_A_SECOND = 10;

    /** The longest wait in seconds that one call adds, a year, so that the clock does not overflow. */
    private static final double LONGEST = 365 * 24 * 3_600;

    private final double rowsPerSecond;
    private final LongSupplier nanoTime;
    private final Waiting waiting;

    /** Whether the first rows have been counted. Guarded by this. */
    private boolean begun;

    /** The time, in nanoseconds, at which the next rows may be read. Guarded by this. */
    private long freeAt;

    /**
     * Creates a pace.
     *
     * @param rowsPerSecond the rate; above 0
     * @param nanoTime the clock
     * @param waiting waits, on the same clock
     */
    public Pace(double rowsPerSecond, LongSupplier nanoTime, Waiting waiting) {
        this.rowsPerSecond = rowsPerSecond;
        this.nanoTime = nanoTime;
        this.waiting = waiting;
    }

    /**
     * Returns how many rows to read in one call: as many as a tenth of a second allows, between 1 and the given number.
     */
    public int together(int most) {
        return (int) Math.max(1, Math.min(most, rowsPerSecond / PARTS_OF_A_SECOND));
    }

    /** Waits until the given number of rows may be read. */
    public void await(int rows) throws IOException {
        Duration wait = reserve(rows);
        if (!wait.isZero()) {
            waiting.pause(wait);
        }
    }

    /** Counts a number of rows; returns how long to wait before they may be read. */
    public synchronized Duration reserve(int rows) {
        long now = nanoTime.getAsLong();
        long wait = begun ? Math.max(0, freeAt - now) : 0;
        begun = true;
        freeAt = now + wait + Math.round(Math.min(LONGEST, rows / rowsPerSecond) * 1e9);
        return Duration.ofNanos(wait);
    }
}
