package org.diffindex.ycsb;

import java.io.IOException;
import java.time.Duration;
import site.ycsb.measurements.Measurements;

/**
 * Waits after the last operation until asynchronous indexes contain every write, and measures how long that takes: a
 * rate without this time counts work as done that is only deferred. YCSB's own run time ends before the drain.
 */
final class ItemDrain {
    /** The name of the measurement in YCSB's output; there is no such measurement if the indexes were not drained. */
    static final String MEASUREMENT = "DRAIN";

    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private ItemDrain() {}

    /** The wait. */
    @FunctionalInterface
    interface Wait {
        /** Waits no longer than the timeout; returns how many batches of index updates are left. */
        long remaining(Duration timeout) throws IOException;
    }

    /** Waits and measures. A failure is reported on standard error; it does not affect the completed operations. */
    static void measure(Wait indexes) {
        long start = System.nanoTime();
        try {
            long left = indexes.remaining(TIMEOUT);
            if (left > 0) {
                System.err.println("The indexes are not drained: " + left
                        + " batches of index updates are still in flight after " + TIMEOUT.toSeconds() + " s");
                return;
            }
        } catch (IOException e) {
            System.err.println("The indexes could not be drained: " + e);
            return;
        }
        int micros = (int)
                Duration.ofNanos(System.nanoTime() - start).dividedBy(1_000).toNanos();
        Measurements measurements = Measurements.getMeasurements();
        measurements.measure(MEASUREMENT, micros);
        measurements.measureIntended(MEASUREMENT, micros);
    }
}
