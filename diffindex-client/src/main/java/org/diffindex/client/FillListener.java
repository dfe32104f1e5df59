package org.diffindex.client;

/** Follows the filling of a new index. Called after each page, by one thread at a time. */
@FunctionalInterface
public interface FillListener {
    /** A listener that does nothing. */
    FillListener NONE = progress -> {};

    /** Takes the totals so far. What it throws ends the filling. */
    void filled(FillProgress progress);
}
