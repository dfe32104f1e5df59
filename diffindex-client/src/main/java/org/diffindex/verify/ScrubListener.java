package org.diffindex.verify;

/** Follows a scrub. Called now and then, by several threads, one at a time. */
@FunctionalInterface
public interface ScrubListener {
    /** A listener that does nothing. */
    ScrubListener NONE = progress -> {};

    /** Takes how far the scrub is. What it throws ends the scrub. */
    void at(ScrubProgress progress);
}
