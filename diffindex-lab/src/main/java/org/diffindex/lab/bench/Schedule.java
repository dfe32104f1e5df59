package org.diffindex.lab.bench;

import java.util.concurrent.TimeUnit;

/**
 * When a client that keeps to a rate is to start each of its operations. The latency of an operation counts from there, and
 * not from its real start: a client that was held up starts late, and what it would have asked for meanwhile has waited
 * ("coordinated omission"). Times are those of {@link System#nanoTime}. Immutable.
 */
final class Schedule {
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final long start;
    private final double pauseNanos;
    private final double offsetNanos;

    /**
     * The schedule of one of several clients, which start evenly spread.
     *
     * @param start the time at which the first client starts
     * @param perSecond the rate of all clients together
     * @param clients how many they are
     * @param client which one this is, counted from 0
     */
    Schedule(long start, double perSecond, int clients, int client) {
        if (perSecond <= 0 || client < 0 || client >= clients) {
            throw new IllegalArgumentException(
                    "Client " + client + " of " + clients + " cannot keep to " + perSecond + " operations a second");
        }
        this.start = start;
        this.pauseNanos = NANOS_PER_SECOND * clients / perSecond;
        this.offsetNanos = NANOS_PER_SECOND * client / perSecond;
    }

    /** When the n-th operation is to start; n counts from 0. */
    long intendedStart(long n) {
        return start + Math.round(offsetNanos + n * pauseNanos);
    }
}
