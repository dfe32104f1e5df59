package org.diffindex.server;

/**
 * What {@link Sequences} leaves out, since the index is known to go wrong there: gaps to be closed. {@code
 * -Ddiffindex.gaps=true} leaves nothing out.
 */
enum ModelGap {
    /**
     * An increment or append of a cell with the last timestamp that a client can give gets {@link Long#MAX_VALUE}, which
     * HBase takes for "now" elsewhere; an entry of the row may stay.
     */
    DELTA_AT_THE_END_OF_TIME,

    /**
     * Of a column that one put or one batch names twice with one timestamp, HBase shows either value if an in-memory flush
     * comes between them; the index holds the last.
     */
    COLUMN_TWICE_UNDER_IN_MEMORY_COMPACTION,

    /**
     * In a family with NEW_VERSION_BEHAVIOR, the entry of a value that a client has overwritten at its own timestamp may stay if
     * the region is flushed and compacted before the index has it; seen now and then on a busy machine. The cause is not proved:
     * perhaps what HBase drops there whatever scanners there are.
     */
    OVERWRITTEN_IN_PLACE_UNDER_NEW_VERSION_BEHAVIOR;

    private static final boolean ALL_OPEN = Boolean.getBoolean("diffindex.gaps");

    boolean isLeftOut() {
        return !ALL_OPEN;
    }
}
