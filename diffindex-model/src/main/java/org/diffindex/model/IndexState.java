package org.diffindex.model;

/**
 * The state of an index, kept in the descriptor of its own table, whose regions enforce it: they answer readers of the
 * index only if they were opened with the state {@link #ACTIVE}. So no client can read an index because of what it
 * remembers, and a change of the state opens the regions of the index table again, not those of the base table.
 */
public enum IndexState {
    /**
     * Every write is indexed; entries of rows written before the index was created may be missing. Reads are refused with
     * {@link IndexNotReadableException}.
     */
    BUILDING,

    /** Complete, and maintained by every write as its scheme promises. */
    ACTIVE,

    /**
     * The drop has begun: writes may not maintain the index any more. Reads are refused with {@link
     * IndexReplacedException}. No other state follows.
     */
    DROPPING;

    /** Returns whether the index can be read. */
    public boolean isReadable() {
        return this == ACTIVE;
    }

    /** Returns whether the state of an index may change from this one to another, a later one; true if they are the same. */
    public boolean mayBecome(IndexState next) {
        return compareTo(next) <= 0;
    }
}
