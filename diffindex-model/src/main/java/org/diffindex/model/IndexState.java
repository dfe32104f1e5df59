package org.diffindex.model;

/** Where an index stands between its creation and its first read. */
public enum IndexState {
    /** Every write is indexed; rows that were there before are still being filled in. Must not be read. */
    BUILDING,

    /** Filled, and kept by every write. */
    ACTIVE;

    /** Whether the index holds an entry for every row that it should. */
    public boolean isReadable() {
        return this == ACTIVE;
    }
}
