package org.diffindex.client;

import org.diffindex.model.IndexDefinition;

/** Follows the filling of a new index. Called after each page, by one thread at a time. */
@FunctionalInterface
public interface FillListener {
    /** A listener that does nothing. */
    FillListener NONE = progress -> {};

    /** Takes the totals so far. What it throws ends the filling. */
    void filled(FillProgress progress);

    /**
     * Called at first if the index is there already, BUILDING, since an earlier creation was interrupted. All rows are filled
     * then, also those that were filled before, for which it changes nothing.
     */
    default void continued(IndexDefinition index) {}
}
