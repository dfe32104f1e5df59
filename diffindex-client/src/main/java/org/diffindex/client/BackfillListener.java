package org.diffindex.client;

import org.diffindex.model.IndexDefinition;

/** Follows a backfill. Called after each page and each region, by one thread at a time. */
@FunctionalInterface
public interface BackfillListener {
    /** A listener that does nothing. */
    BackfillListener NONE = progress -> {};

    /** Receives the totals so far. An exception thrown here ends the backfill. */
    void backfilled(BackfillProgress progress);

    /**
     * Receives the index first, if the creation resumes an index that an interrupted creation has left BUILDING. All
     * rows are backfilled then; the entries of rows that were backfilled before stay the same.
     */
    default void continued(IndexDefinition index) {}
}
