package org.diffindex.server;

/**
 * What {@link Sequences} leaves out, since the index is known to go wrong there: gaps to be closed. {@code
 * -Ddiffindex.gaps=true} leaves nothing out.
 */
enum ModelGap {
    /** A change that is flushed, or replayed and flushed, before the indexes have it, is lost in the next crash. */
    FLUSH_WITHOUT_THE_INDEX,

    /**
     * An increment or append that a tombstone hides, of a row that has other indexed cells, is taken for a write of the
     * sequence number of those.
     */
    HIDDEN_DELTA,

    /**
     * A write whose synchronous update fails is queued twice for the asynchronous indexes: alone, and merged with the next
     * write of its row. An entry that it made, and the next write took away, stays.
     */
    DELAYED_UNDER_ASYNC,

    /**
     * Of a column that one put names twice, HBase shows either value if an in-memory flush comes between them; the index
     * holds the last.
     */
    COLUMN_TWICE_UNDER_IN_MEMORY_COMPACTION,

    /**
     * If clients give timestamps of their own, a region that opens on another server cannot tell the newest stamp from its
     * cells; its stamps go back if the server's clock is not ahead of it.
     */
    CLOCK_BACK_UNDER_CLIENT_TIMES;

    private static final boolean ALL_OPEN = Boolean.getBoolean("diffindex.gaps");

    boolean isLeftOut() {
        return !ALL_OPEN;
    }
}
