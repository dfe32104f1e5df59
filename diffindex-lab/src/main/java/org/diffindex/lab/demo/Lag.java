package org.diffindex.lab.demo;

import java.time.Duration;
import org.diffindex.client.Staleness;

/**
 * The staleness of asynchronous indexes.
 *
 * @param p50Ms the median, in milliseconds
 * @param p99Ms the 99th percentile, in milliseconds
 */
record Lag(double p50Ms, double p99Ms) {
    private static final double NANOS_PER_MILLI = 1e6;

    static Lag of(Staleness staleness) {
        return new Lag(millis(staleness.p50()), millis(staleness.p99()));
    }

    private static double millis(Duration duration) {
        return duration.toNanos() / NANOS_PER_MILLI;
    }
}
