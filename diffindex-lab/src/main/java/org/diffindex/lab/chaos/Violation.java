package org.diffindex.lab.chaos;

import org.diffindex.model.IndexScheme;

/**
 * A broken promise.
 *
 * @param kind how the promise was broken
 * @param scheme the scheme
 * @param row the row, or {@code -} if there is none
 * @param value the value; if there is none, a text that distinguishes the violation
 * @param time when it was seen, in nanoseconds of the run's clock
 * @param detail everything needed to understand it
 */
record Violation(Kind kind, IndexScheme scheme, String row, String value, long time, String detail) {
    /** The ways to break a promise. */
    enum Kind {
        /** A row that had to be found was not found. */
        LOST("lost"),
        /** A row that was not written during the read was found twice. */
        REPEATED("repeated"),
        /** A row that was not written during the read was found in the wrong place. */
        MISPLACED("misplaced"),
        /**
         * A row that was not written during the read was found with a timestamp other than that of its newest indexed
         * cell.
         */
        MISDATED("misdated"),
        /** A read returned more hits than its limit. */
        TOO_MANY("too many"),
        /** A row was found under a value that another value had replaced. */
        STALE("stale"),
        /** A row that had lost its value or was deleted was found. */
        RESURRECTED("resurrected"),
        /** A row was found under a value that no client wrote to it. */
        INVENTED("invented"),
        /** A hit came with a base row that did not match it, or was outdated. */
        TORN("torn"),
        /** An unindexable write was acknowledged. */
        ACCEPTED("accepted"),
        /** A write outside of a session was delayed, though all indexes of its table are asynchronous. */
        DELAYED("delayed"),
        /** The base row does not show its last acknowledged write. */
        BASE("base"),
        /** An index differs from its table after the final drain. */
        COMPARISON("comparison"),
        /** Stale entries remain although readers have reported them repeatedly. */
        LEFT("left"),
        /** The indexes could not be drained, or a table could not be reached, on a healthy cluster. */
        STUCK("stuck"),
        /** Diff-Index reported an internal error, or refused a valid write. */
        FAILED("failed");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    @Override
    public String toString() {
        return "%s: %s row %s value %s at %s%n  %s"
                .formatted(
                        kind,
                        scheme,
                        row,
                        value,
                        RunTime.text(time),
                        detail.indent(0).strip());
    }
}
