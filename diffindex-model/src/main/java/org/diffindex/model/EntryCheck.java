package org.diffindex.model;

/** What a reader and a region agree on about a call in which the region confirms entries from its row memory. */
public final class EntryCheck {
    /** The maximum number of entries of one call. */
    public static final int MOST_ENTRIES = 10_000;

    private EntryCheck() {}
}
