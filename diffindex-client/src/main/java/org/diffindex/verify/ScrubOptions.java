package org.diffindex.verify;

import java.time.Duration;

/**
 * The options of a scrub. Immutable.
 *
 * @param threads how many regions are read at a time
 * @param rowsPerSecond the most rows of both tables that are read per second; 0 for no limit
 * @param lag how long to wait before a difference is looked at again
 * @param looks how many lags to wait for a place that shows another difference at every look, before it is given up as
 *     unsettled
 * @param drainTimeout how long to wait for index updates in flight
 * @param repair whether to repair differences
 * @param samples how many differences of each kind to keep
 * @param buckets how many digests to keep of each table, rounded up to a power of two, 8 bytes each; with more buckets
 *     fewer entries are looked at one by one
 * @param pending the most differences that are kept in memory until they are looked at again
 */
public record ScrubOptions(
        int threads,
        double rowsPerSecond,
        Duration lag,
        int looks,
        Duration drainTimeout,
        boolean repair,
        int samples,
        int buckets,
        int pending) {
    private static final double SLOWEST = 0.001;

    /**
     * The default options: 2 threads, no limit of rows per second, a lag of 10 s, 5 looks, 60 s for a drain, no repair,
     * 10 samples, 2^20 buckets, 100,000 pending differences.
     */
    public static final ScrubOptions DEFAULT =
            new ScrubOptions(2, 0, Duration.ofSeconds(10), 5, Duration.ofSeconds(60), false, 10, 1 << 20, 100_000);

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if {@code threads}, {@code looks}, {@code buckets} or {@code pending} is not
     *     positive, {@code samples} or {@code lag} is negative, or {@code rowsPerSecond} is neither 0 nor between 0.001
     *     and infinity
     */
    public ScrubOptions {
        if (threads < 1 || looks < 1 || buckets < 1 || pending < 1) {
            throw new IllegalArgumentException(
                    "A scrub needs at least one thread, look, bucket and pending difference");
        }
        if (samples < 0 || lag.isNegative()) {
            throw new IllegalArgumentException("The samples and the lag of a scrub cannot be negative");
        }
        if (rowsPerSecond != 0 && !(rowsPerSecond >= SLOWEST && rowsPerSecond < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "A scrub must read at least 0.001 rows per second, or 0 for no limit, not " + rowsPerSecond);
        }
    }

    /** Returns these options with another number of threads. */
    public ScrubOptions withThreads(int newThreads) {
        return new ScrubOptions(newThreads, rowsPerSecond, lag, looks, drainTimeout, repair, samples, buckets, pending);
    }

    /** Returns these options with another limit of rows per second. */
    public ScrubOptions withRowsPerSecond(double newRate) {
        return new ScrubOptions(threads, newRate, lag, looks, drainTimeout, repair, samples, buckets, pending);
    }

    /** Returns these options with another lag. */
    public ScrubOptions withLag(Duration newLag) {
        return new ScrubOptions(threads, rowsPerSecond, newLag, looks, drainTimeout, repair, samples, buckets, pending);
    }

    /** Returns these options with or without repair. */
    public ScrubOptions withRepair(boolean newRepair) {
        return new ScrubOptions(threads, rowsPerSecond, lag, looks, drainTimeout, newRepair, samples, buckets, pending);
    }

    /** Returns these options with another number of samples. */
    public ScrubOptions withSamples(int newSamples) {
        return new ScrubOptions(threads, rowsPerSecond, lag, looks, drainTimeout, repair, newSamples, buckets, pending);
    }

    /** Returns these options with another number of buckets. */
    public ScrubOptions withBuckets(int newBuckets) {
        return new ScrubOptions(threads, rowsPerSecond, lag, looks, drainTimeout, repair, samples, newBuckets, pending);
    }

    /** Returns these options with another bound of pending differences. */
    public ScrubOptions withPending(int newPending) {
        return new ScrubOptions(threads, rowsPerSecond, lag, looks, drainTimeout, repair, samples, buckets, newPending);
    }
}
