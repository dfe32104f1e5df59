package org.diffindex.lab.chaos;

import org.diffindex.model.IndexScheme;

/**
 * An answer that breaks a promise.
 *
 * @param kind which promise
 * @param scheme of which scheme
 * @param row of which row
 * @param value under which value; what else distinguishes it if there is no value
 * @param time when it was seen, in nanoseconds of the run's clock
 * @param detail all that is needed to understand it
 */
record Violation(Kind kind, IndexScheme scheme, String row, String value, long time, String detail) {
    /** The promises. */
    enum Kind {
        /** A row that had to be found was not. */
        LOST("lost"),
        /** A row that nobody wrote meanwhile was found twice. */
        REPEATED("repeated"),
        /** A row that nobody wrote meanwhile was found in the wrong place. */
        MISPLACED("misplaced"),
        /** A row that nobody wrote meanwhile was found with another timestamp than the newest of its indexed cells. */
        MISDATED("misdated"),
        /** A read found more rows than it had asked for. */
        TOO_MANY("too many"),
        /** A row was found under a value that it had lost to another one. */
        STALE("stale"),
        /** A row was found that had lost its value, or was deleted. */
        RESURRECTED("resurrected"),
        /** A row was found under a value that nobody wrote to it. */
        INVENTED("invented"),
        /** A hit that came with its row did not fit it, or the row was an old one. */
        TORN("torn"),
        /** A write that cannot be indexed was acknowledged. */
        ACCEPTED("accepted"),
        /** The base row does not show its last acknowledged write. */
        BASE("base"),
        /** After the last drain an index differs from its base. */
        COMPARISON("comparison"),
        /** Stale entries that readers have reported over and over are still there. */
        LEFT("left"),
        /** The indexes could not be drained, or the tables not be reached, on a cluster without faults. */
        STUCK("stuck"),
        /** The server or the client said that it is at fault, or refused a write that nothing is wrong with. */
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
