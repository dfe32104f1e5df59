package org.diffindex.server.queue;

/**
 * Decides which changes of a region's rows may be merged: those between which no caller has read rows to write their
 * entries bypassing the queues. If a change from before such a read were merged with one from after it, neither image
 * would contain the entry that the row had in between, and no update would delete it. Thread-safe.
 */
final class Separations {
    /** The period of a change that must not be merged. */
    static final int NONE = -1;

    /** Number of separations that have not ended. Guarded by this. */
    private int active;

    /** The current period; the end of each separation begins another. Guarded by this. */
    private int period;

    synchronized void begin() {
        active++;
    }

    synchronized void end() {
        active--;
        period = (period + 1) & Integer.MAX_VALUE;
    }

    /**
     * Returns the period of a change that arrives now; changes of one period may be merged, those of {@link #NONE} must
     * not.
     */
    synchronized int period() {
        return active > 0 ? NONE : period;
    }
}
