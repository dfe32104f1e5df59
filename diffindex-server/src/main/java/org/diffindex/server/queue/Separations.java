package org.diffindex.server.queue;

/**
 * Which changes of a region's rows may be merged: those between which nobody has read rows to write their entries past the
 * queues. If a change from before such a reading were merged with one from after it, the entry that the row had in between
 * would be in neither image, and nobody would delete it. Safe for use by many threads.
 */
final class Separations {
    /** The period of a change that is merged with no other. */
    static final int NONE = -1;

    /** Guarded by this. */
    private int active;

    /** Guarded by this; the end of each separation begins another. */
    private int period;

    synchronized void begin() {
        active++;
    }

    synchronized void end() {
        active--;
        period = (period + 1) & Integer.MAX_VALUE;
    }

    /** The period in which a change comes now; changes of one period may be merged, those of {@link #NONE} may not. */
    synchronized int period() {
        return active > 0 ? NONE : period;
    }
}
