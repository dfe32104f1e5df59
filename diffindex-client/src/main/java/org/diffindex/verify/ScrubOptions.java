package org.diffindex.verify;

import java.time.Duration;

/**
 * How a scrub is done.
 *
 * @param threads regions that are read at a time
 * @param rowsPerSecond the most rows of both tables that are read in a second; 0 for as many as can be
 * @param lag how long a difference must have been there before it is looked at again
 * @param looks how often a difference that is another one at each look is looked at again, after a lag each, before it is given up
 * @param drainTimeout how long to wait for index updates that are on their way
 * @param repair whether to repair what is found
 * @param samples how many findings of each kind to keep
 * @param buckets how many digests to keep of each table, 8 bytes each; the more, the fewer entries are looked at one by
 *     one
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

    /** Two threads, no limit, a lag of 10 s, no repair. */
    public static final ScrubOptions DEFAULT =
            new ScrubOptions(2, 0, Duration.ofSeconds(10), 5, Duration.ofSeconds(60), false, 10, 1 << 20, 100_000);

    /** Refuses what cannot work. */
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
                    "A scrub reads at least one row in 1,000 seconds, not " + rowsPerSecond + " in each");
        }
    }

    public ScrubOptions withThreads(int newThreads) {
        return new ScrubOptions(newThreads, rowsPerSecond, lag, looks, drainTimeout, repair, samples, buckets, pending);
    }

    public ScrubOptions withRowsPerSecond(double newRate) {
        return new ScrubOptions(threads, newRate, lag, looks, drainTimeout, repair, samples, buckets, pending);
    }

    public ScrubOptions withLag(Duration newLag) {
        return new ScrubOptions(threads, rowsPerSecond, newLag, looks, drainTimeout, repair, samples, buckets, pending);
    }

    public ScrubOptions withRepair(boolean newRepair) {
        return new ScrubOptions(threads, rowsPerSecond, lag, looks, drainTimeout, newRepair, samples, buckets, pending);
    }

    public ScrubOptions withSamples(int newSamples) {
        return new ScrubOptions(threads, rowsPerSecond, lag, looks, drainTimeout, repair, newSamples, buckets, pending);
    }

    public ScrubOptions withBuckets(int newBuckets) {
        return new ScrubOptions(threads, rowsPerSecond, lag, looks, drainTimeout, repair, samples, newBuckets, pending);
    }

    public ScrubOptions withPending(int newPending) {
        return new ScrubOptions(threads, rowsPerSecond, lag, looks, drainTimeout, repair, samples, buckets, newPending);
    }
}
