package org.diffindex.verify;

/** Follows a change of an index's scheme. Called by one thread at a time. */
public interface SchemeChangeListener extends ScrubListener {
    /** A listener that does nothing. */
    SchemeChangeListener NONE = new SchemeChangeListener() {
        @Override
        public void begins(Step step) {}

        @Override
        public void at(ScrubProgress progress) {}
    };

    /** The steps of a change, in order; a change skips those that it does not need. */
    enum Step {
        /** Waits for the index updates that are in flight, before anything is changed. */
        DRAIN_BEFORE,

        /** The index table: readers read carefully from now on. */
        BEGIN,

        /** The base table: writes maintain the index by the new scheme from now on. */
        DEFINE,

        /** The index table: it refuses writes from before the last step. */
        FENCE,

        /** Waits for the index updates of the time before. */
        DRAIN,

        /** Removes the stale entries that the old scheme has left. */
        CLEAN_UP,

        /** The index table: readers rely on the new scheme from now on. */
        COMPLETE
    }

    /** A step begins. */
    void begins(Step step);
}
