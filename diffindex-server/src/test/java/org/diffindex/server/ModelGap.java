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
     * Of a column that one put or one batch names twice with one timestamp, HBase shows either value if an in-memory flush comes between them; the index
     * holds the last.
     */
    COLUMN_TWICE_UNDER_IN_MEMORY_COMPACTION,

    /**
     * The newest stamp cannot be told from the cells if it was an increment's, an append's, a delete's of a version, or that
     * of a write with a timestamp of the client's. A region that opens on another server then goes on with earlier stamps if
     * the server's clock is behind.
     */
    CLOCK_BACK_UNDER_HIDDEN_STAMPS;

    private static final boolean ALL_OPEN = Boolean.getBoolean("diffindex.gaps");

    boolean isLeftOut() {
        return !ALL_OPEN;
    }
}
