package org.diffindex.model;

/** The state of an index between its creation and its first read. */
public enum IndexState {
    /** Every write is indexed; rows written before are still being backfilled. Must not be read. */
    BUILDING,

    /** Backfilled, and maintained by every write. */
    ACTIVE;

    /** Returns whether the index can be read: the backfill of all existing rows is complete. */
    public boolean isReadable() {
        return this == ACTIVE;
    }
}
