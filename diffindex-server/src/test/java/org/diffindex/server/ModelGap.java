package org.diffindex.server;

/**
 * What {@link Sequences} leaves out, since the index is known to go wrong there: gaps to be closed. {@code
 * -Ddiffindex.gaps=true} leaves nothing out.
 */
enum ModelGap {
    /**
     * Of a column that one put or one batch names twice with one timestamp, HBase shows either value if an in-memory flush comes between them; the index
     * holds the last.
     */
    COLUMN_TWICE_UNDER_IN_MEMORY_COMPACTION;

    private static final boolean ALL_OPEN = Boolean.getBoolean("diffindex.gaps");

    boolean isLeftOut() {
        return !ALL_OPEN;
    }
}
