package org.diffindex.model;

/** The bounds of a call in which a region confirms entries from its row memory. */
public final class EntryCheck {
    /** The maximum number of entries of one call. */
    public static final int MOST_ENTRIES = 10_000;

    private EntryCheck() {}
}
