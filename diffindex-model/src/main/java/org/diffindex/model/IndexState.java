package org.diffindex.model;

/**
 * The state of an index, kept in the descriptor of its own table, whose regions enforce it: they answer readers of the
 * index only if they were opened with the state {@link #ACTIVE}. So no client can read an index because of what it
 * remembers, and a change of the state opens the regions of the index table again, not those of the base table.
 */
public enum IndexState {
    /**
     * Every write maintains the index; entries of rows written before the index was created or enabled may be missing. The
     * master adds them. Reads are refused with {@link IndexNotReadableException}.
     */
    BUILDING,

    /** Complete, and maintained by every write as its scheme promises. */
    ACTIVE,

    /**
     * Every write maintains the index, but it lacks entries, or has some of rows that are gone, and nobody adds or removes
     * them until an operator has removed the cause, which the table's descriptor tells. Reads are refused with {@link
     * IndexNotReadableException}.
     */
    BROKEN,

    /**
     * Out of service: no write maintains the index, once the disabling is complete. Its definition is kept in the descriptor
     * of its own table, and its entries are of no use: when it is enabled, it is emptied and becomes BUILDING. Reads are
     * refused with {@link IndexNotReadableException}.
     */
    DISABLED,

    /**
     * The drop has begun: writes may not maintain the index any more. Reads are refused with {@link
     * IndexReplacedException}. No other state follows.
     */
    DROPPING;

    /** Returns whether the index can be read. */
    public boolean isReadable() {
        return this == ACTIVE;
    }

    /** Returns whether the master has to build the index, or may have to when an operator says so. */
    public boolean isIncomplete() {
        return this == BUILDING || this == BROKEN;
    }

    /** Returns whether an index may change from this state to another; true if they are the same. */
    public boolean mayBecome(IndexState next) {
        return switch (this) {
            case BUILDING -> true;
            case ACTIVE -> next != BUILDING;
            case BROKEN -> next != ACTIVE;
            case DISABLED -> next == DISABLED || next == BUILDING || next == DROPPING;
            case DROPPING -> next == DROPPING;
        };
    }
}
