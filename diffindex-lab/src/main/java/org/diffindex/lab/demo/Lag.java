package org.diffindex.lab.demo;

import java.time.Duration;
import org.diffindex.client.Staleness;

/**
 * How far an asynchronous scheme's indexes were behind their table.
 *
 * @param p50Ms milliseconds that half of the updates did not exceed
 * @param p99Ms milliseconds that 99 of 100 updates did not exceed
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
