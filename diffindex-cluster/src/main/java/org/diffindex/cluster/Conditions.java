package org.diffindex.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for something to become true, and looks again every 50 ms. Safe for use by many threads. */
public final class Conditions {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private Conditions() {}

    /** A question that may be asked again and again. */
    @FunctionalInterface
    public interface Condition {
        /**
         * Whether it is true now.
         *
         * @throws IOException if waiting longer is of no use
         */
        boolean holds() throws IOException;
    }

    /**
     * Waits until the condition holds, at most for the given time.
     *
     * @return whether it held; false when the time is over, or the thread is interrupted (its flag stays set)
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
