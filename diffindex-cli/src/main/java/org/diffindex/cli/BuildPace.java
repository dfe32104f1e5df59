package org.diffindex.cli;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.diffindex.client.BuildStatus;

/** Estimates the rate of a build, and the time that it still takes, from what it does while somebody looks. */
final class BuildPace {
    /** Null before the first look. */
    private BuildStatus first;

    private long firstNanos;
    private final LongSupplier nanoTime;

    /** Creates an estimate; with as {@link System#nanoTime}. */
    BuildPace(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * An estimate.
     *
     * @param rowsPerSecond the rate since the first look
     * @param left the time left; empty as long as no range was completed since the first look
     */
    record Estimate(double rowsPerSecond, Optional<Duration> left) {}

    /** Returns the estimate as of a status. Another master counts the ranges that are left, and begins from 0. */
    Estimate of(BuildStatus status) {
        long now = nanoTime.getAsLong();
        if (first == null || status.ranges() != first.ranges() || status.rangesDone() < first.rangesDone()) {
            first = status;
            firstNanos = now;
        }
        double seconds = (now - firstNanos) / 1e9;
        int done = status.rangesDone() - first.rangesDone();
        double rate = seconds > 0 ? (status.rows() - first.rows()) / seconds : 0;
        return new Estimate(
                rate,
                done > 0 && seconds > 0
                        ? Optional.of(Duration.ofMillis(
                                Math.round(seconds * 1_000 / done * (status.ranges() - status.rangesDone()))))
                        : Optional.empty());
    }
}
