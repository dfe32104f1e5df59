package org.diffindex.lab.chaos;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Waits for random times between the operations of one client. A wait is not shortened by the duration of an operation,
 * so that the given mean rate is an upper bound. For one thread.
 */
final class Pace {
    private final Random random;
    private final double meanPauseNanos;

    /** Creates a pace whose waits are evenly distributed from 0 to {@code 2 / perSecond} seconds. */
    Pace(double perSecond, Random random) {
        this.random = random;
        this.meanPauseNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    }

    /** Sleeps until a time of this clock, in nanoseconds, or until the thread is interrupted. */
    static void sleepUntil(long time, LongSupplier clock) {
        for (long left = time - clock.getAsLong(); left > 0; left = time - clock.getAsLong()) {
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            LockSupport.parkNanos(left);
        }
    }

    void pause() {
        LockSupport.parkNanos((long) (random.nextDouble() * 2 * meanPauseNanos));
    }
}
