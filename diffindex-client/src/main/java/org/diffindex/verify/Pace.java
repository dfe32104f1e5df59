package org.diffindex.verify;

import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Limits the rows that are read in a second. Unlike Guava's RateLimiter it gives no credit for a second in which fewer are read,
 * so that there is no burst after a lag, and its waits can be interrupted. Safe for use by many threads, which share the rate.
 */
final class Pace {
    private static final int PARTS_OF_A_SECOND = 10;

    private final double rowsPerSecond;
    private final LongSupplier nanoTime;
    private final Waiting waiting;

    /** Whether the first rows have been counted. Guarded by this. */
    private boolean begun;

    /** When the next rows may be read. Guarded by this. */
    private long freeAt;

    /**
     * A pace.
     *
     * @param rowsPerSecond the rate; above 0
     * @param nanoTime the clock that the waiting takes time on
     */
    Pace(double rowsPerSecond, LongSupplier nanoTime, Waiting waiting) {
        this.rowsPerSecond = rowsPerSecond;
        this.nanoTime = nanoTime;
        this.waiting = waiting;
    }

    /** How many rows are to be read together, at most: what a tenth of a second takes, from 1 to a given number. */
    int together(int most) {
        return (int) Math.max(1, Math.min(most, rowsPerSecond / PARTS_OF_A_SECOND));
    }

    /** Returns when some rows may be read. */
    void await(int rows) throws IOException {
        long wait = reserve(rows);
        if (wait > 0) {
            waiting.pause(Duration.ofNanos(wait));
        }
    }

    private synchronized long reserve(int rows) {
        long now = nanoTime.getAsLong();
        long wait = begun ? Math.max(0, freeAt - now) : 0;
        begun = true;
        freeAt = now + wait + Math.round(rows / rowsPerSecond * 1e9);
        return wait;
    }
}
