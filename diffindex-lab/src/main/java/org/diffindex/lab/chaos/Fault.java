package org.diffindex.lab.chaos;

import java.io.IOException;

/** A fault that has been applied and can be undone. */
record Fault(String target, Undo undo) {
    /** Puts things right again. */
    @FunctionalInterface
    interface Undo {
        /** Returns a word on how it went, or nothing. */
        String run() throws IOException;
    }

    /** A fault that is over as soon as it has happened. */
    static Fault momentary(String target) {
        return new Fault(target, () -> "");
    }

    /** There is nothing that a fault could be applied to. */
    static final class NothingToHit extends IOException {
        private static final long serialVersionUID = 1L;

        NothingToHit(String why) {
            super(why);
        }
    }
}
