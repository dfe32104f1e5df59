package org.diffindex.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for a condition, which it checks every 50 ms. Safe for use by many threads. */
public final class Conditions {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private Conditions() {}

    /** A condition that can be checked repeatedly. */
    @FunctionalInterface
    public interface Condition {
        /**
         * Returns whether the condition holds now.
         *
         * @throws IOException if it cannot hold any more, so that waiting is of no use
         */
        boolean holds() throws IOException;
    }

    /**
     * Waits until the condition holds, at most for the given time. Checks it at least once.
     *
     * @return whether it held; false if the time elapsed or the thread is interrupted (its interrupt flag stays set)
     * @throws IOException the condition's own, at once
     */
    public static boolean await(Duration atMost, Condition condition) throws IOException {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() - deadline >= 0 || Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }
}
