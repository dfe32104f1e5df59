package org.diffindex.client;

/** Follows a change of an index's columns. Called by the thread that makes the change. */
public interface ColumnsChangeListener extends BuildListener {
    /** A listener that does nothing. */
    ColumnsChangeListener NONE = new ColumnsChangeListener() {
        @Override
        public void begins(Step step) {}

        @Override
        public void progress(BuildStatus status) {}
    };

    /** The steps of a change, in order. A repeated change skips those that are complete. */
    enum Step {
        /** Makes the shadow, and enters it into the base table: every write maintains both from then on. */
        ENTER,

        /** Waits until the master has built the shadow. */
        BUILD,

        /** Readers go over to the shadow. */
        SWITCH,

        /** Drops what the index was before. */
        REMOVE
    }

    /** A step begins. */
    void begins(Step step);
}
