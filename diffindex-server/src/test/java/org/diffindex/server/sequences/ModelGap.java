package org.diffindex.server.sequences;

/**
 * What {@link Sequences} leaves out, since the index is known to go wrong there: gaps to be closed. {@code
 * -Ddiffindex.gaps=true} leaves nothing out.
 */
public enum ModelGap {
    /**
     * An increment or append of a cell with the last timestamp that a client can give gets {@link Long#MAX_VALUE}, which
     * HBase takes for "now" elsewhere; an entry of the row may stay.
     */
    DELTA_AT_THE_END_OF_TIME,

    /**
     * Of a column that one put or one batch names twice with one timestamp, HBase shows either value if an in-memory flush
     * comes between them; the index holds the last.
     */
    COLUMN_TWICE_UNDER_IN_MEMORY_COMPACTION;

    private static final boolean ALL_OPEN = Boolean.getBoolean("diffindex.gaps");

    public boolean isLeftOut() {
        return !ALL_OPEN;
    }
}
