package org.diffindex.server.metrics;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * A histogram of durations with fixed buckets, as Prometheus computes quantiles from: those of several servers can be
 * added up. Recording takes no lock. Thread-safe.
 */
public final class Durations {
    /** The upper bounds of the buckets in seconds, as the label {@code le} shows them; the last one is open. */
    private static final String[] BOUNDS = {
        "0.001", "0.005", "0.01", "0.025", "0.1", "0.25", "1", "5", "30", "300", "+Inf"
    };

    private static final long[] BOUNDS_NANOS = {
        TimeUnit.MILLISECONDS.toNanos(1),
        TimeUnit.MILLISECONDS.toNanos(5),
        TimeUnit.MILLISECONDS.toNanos(10),
        TimeUnit.MILLISECONDS.toNanos(25),
        TimeUnit.MILLISECONDS.toNanos(100),
        TimeUnit.MILLISECONDS.toNanos(250),
        TimeUnit.SECONDS.toNanos(1),
        TimeUnit.SECONDS.toNanos(5),
        TimeUnit.SECONDS.toNanos(30),
        TimeUnit.SECONDS.toNanos(300),
        Long.MAX_VALUE
    };

    private final LongAdder[] counts = new LongAdder[BOUNDS.length];
    private final LongAdder nanos = new LongAdder();

    /** Creates an empty histogram. */
    public Durations() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    /** Records a duration in nanoseconds; a negative one, by clocks of two threads, counts as 0. */
    public void record(long duration) {
        int bucket = 0;
        while (duration > BOUNDS_NANOS[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        nanos.add(Math.max(0, duration));
    }

    /** Returns the sum of the recorded durations in seconds. */
    public double sumSeconds() {
        return nanos.sum() / (double) TimeUnit.SECONDS.toNanos(1);
    }

    /** Receives a bucket. */
    @FunctionalInterface
    interface Bucket {
        /**
         * Receives a bucket.
         *
         * @param bound its upper bound in seconds
         * @param count the number of recorded durations up to the bound, those of the buckets before it included
         */
        void is(String bound, long count);
    }

    /** Tells the buckets, from the smallest bound to the open one, which counts all durations; returns their number. */
    long buckets(Bucket to) {
        long sum = 0;
        for (int i = 0; i < counts.length; i++) {
            sum += counts[i].sum();
            to.is(BOUNDS[i], sum);
        }
        return sum;
    }
}
