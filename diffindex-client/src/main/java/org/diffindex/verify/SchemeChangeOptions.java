package org.diffindex.verify;

import java.time.Duration;

/**
 * The options of a change of an index's scheme. Immutable.
 *
 * @param drainTimeout how long to wait for index updates in flight, each time
 * @param rowsPerSecond the most rows of both tables that are read per second if stale entries are to be removed; 0 for no
 *     limit
 */
public record SchemeChangeOptions(Duration drainTimeout, double rowsPerSecond) {
    /** The default options: 10 minutes for a drain, no limit of rows per second. */
    public static final SchemeChangeOptions DEFAULT = new SchemeChangeOptions(Duration.ofMinutes(10), 0);

    /**
     * How long a difference must last to be repaired. Writes in flight are delivered before it is looked at again, so it
     * need not be long.
     */
    private static final Duration LAG = Duration.ofMillis(200);

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if {@code drainTimeout} is negative, or {@code rowsPerSecond} is neither 0 nor
     *     between 0.001 and infinity
     */
    public SchemeChangeOptions {
        if (drainTimeout.isNegative()) {
            throw new IllegalArgumentException("The time to wait for index updates cannot be negative");
        }
        ScrubOptions unused = ScrubOptions.DEFAULT.withRowsPerSecond(rowsPerSecond);
    }

    ScrubOptions comparison() {
        ScrubOptions standard = ScrubOptions.DEFAULT;
        return new ScrubOptions(
                standard.threads(),
                rowsPerSecond,
                LAG,
                standard.looks(),
                drainTimeout,
                true,
                standard.samples(),
                standard.buckets(),
                standard.pending());
    }
}
