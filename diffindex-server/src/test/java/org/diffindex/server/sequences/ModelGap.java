package org.diffindex.server.sequences;

/**
 * Cases that {@link Sequences} omits because the index is known to go wrong in them: gaps to be closed. {@code
 * -Ddiffindex.gaps=true} omits none.
 */
public enum ModelGap {
    /**
     * An increment or append of a cell with the largest timestamp that a client can give gets {@link Long#MAX_VALUE},
     * which HBase takes for "now" elsewhere; an entry of the row may remain.
     */
    DELTA_AT_THE_END_OF_TIME,

    /**
     * If one put or one batch names a column twice with one timestamp, HBase shows either value when an in-memory flush
     * comes between them; the index holds the last.
     */
    COLUMN_TWICE_UNDER_IN_MEMORY_COMPACTION;

    private static final boolean ALL_OPEN = Boolean.getBoolean("diffindex.gaps");

    public boolean isLeftOut() {
        return !ALL_OPEN;
    }
}
