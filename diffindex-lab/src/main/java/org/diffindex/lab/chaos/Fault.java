package org.diffindex.lab.chaos;

import java.io.IOException;

/** A fault that is active and can be undone. */
record Fault(String target, Undo undo) {
    /** Ends the fault. */
    @FunctionalInterface
    interface Undo {
        /** Returns a note on how it went, or an empty string. */
        String run() throws IOException;
    }

    /** A fault without a duration. */
    static Fault momentary(String target) {
        return new Fault(target, () -> "");
    }

    /** There is no target for a fault. */
    static final class NothingToHit extends IOException {
        private static final long serialVersionUID = 1L;

        NothingToHit(String why) {
            super(why);
        }
    }
}
