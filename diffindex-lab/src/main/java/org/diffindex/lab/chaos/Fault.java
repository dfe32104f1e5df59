package org.diffindex.lab.chaos;

import java.io.IOException;

/** A fault that is active and can be undone. */
record Fault(String target, Undo undo) {
    /** Ends the fault. */
    @FunctionalInterface
    interface Undo {
        /** Ends the fault; returns a note on how it ended, or an empty string. */
        String run() throws IOException;
    }

    /** Returns a fault without a duration, which needs no undoing. */
    static Fault momentary(String target) {
        return new Fault(target, () -> "");
    }

    /** Thrown when there is no target for a fault. */
    static final class NothingToHit extends IOException {
        private static final long serialVersionUID = 1L;

        NothingToHit(String why) {
            super(why);
        }
    }
}
