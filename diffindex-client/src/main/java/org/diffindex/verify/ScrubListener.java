package org.diffindex.verify;

/** Follows a scrub. Called every 1,000 rows of a range, and at its end, by several threads, one at a time. */
@FunctionalInterface
public interface ScrubListener {
    /** A listener that does nothing. */
    ScrubListener NONE = progress -> {};

    /** Receives the progress. An exception thrown here ends the scrub. */
    void at(ScrubProgress progress);
}
