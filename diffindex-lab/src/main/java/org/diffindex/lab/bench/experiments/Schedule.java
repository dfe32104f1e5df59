package org.diffindex.lab.bench.experiments;

import java.util.concurrent.TimeUnit;

/**
 * The intended start of each operation of a client at a target rate. Latencies count from the intended start instead of
 * the actual start: the operations of a client that falls behind have waited, and omitting this wait would be
 * "coordinated omission". Times are those of {@link System#nanoTime}. Immutable.
 */
final class Schedule {
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final long start;
    private final double pauseNanos;
    private final double offsetNanos;

    /**
     * Creates the schedule of one of several clients, whose starts are evenly spread.
     *
     * @param start the first start of client 0
     * @param perSecond the rate of all clients together, in operations per second
     * @param clients the number of clients
     * @param client the number of this client, from 0
     */
    Schedule(long start, double perSecond, int clients, int client) {
        if (perSecond <= 0 || client < 0 || client >= clients) {
            throw new IllegalArgumentException("Invalid schedule: client " + client + " of " + clients + ", "
                    + perSecond + " operations per second");
        }
        this.start = start;
        this.pauseNanos = NANOS_PER_SECOND * clients / perSecond;
        this.offsetNanos = NANOS_PER_SECOND * client / perSecond;
    }

    /** Returns the intended start of operation {@code n}, counted from 0. */
    long intendedStart(long n) {
        return start + Math.round(offsetNanos + n * pauseNanos);
    }
}
