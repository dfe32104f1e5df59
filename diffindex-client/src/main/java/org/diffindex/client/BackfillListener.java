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
     * Called first if the creation resumes an index that an interrupted creation has left BUILDING. All rows are
     * backfilled then, including those that were backfilled before, for which it changes nothing.
     */
    default void continued(IndexDefinition index) {}
}
