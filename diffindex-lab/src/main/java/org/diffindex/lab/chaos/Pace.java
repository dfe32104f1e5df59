package org.diffindex.lab.chaos;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Spreads what one client does over time, evenly on average and never regularly. For one thread. */
final class Pace {
    private final Random random;
    private final double meanPauseNanos;

    /** So many things in a second. */
    Pace(double perSecond, Random random) {
        this.random = random;
        this.meanPauseNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    }

    /** Sleeps until a time of this clock, or until interrupted. */
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
