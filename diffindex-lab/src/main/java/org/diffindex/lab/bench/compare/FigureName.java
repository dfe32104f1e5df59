package org.diffindex.lab.bench.compare;

/**
 * Identifies a figure of a report.
 *
 * @param experiment the experiment
 * @param load the load
 * @param scheme the contender's name in the report
 * @param value the value
 * @param basis what the figure is relative to; figures of different bases are never compared
 */
record FigureName(String experiment, String load, String scheme, ComparedValue value, Basis basis) {
    /** What a figure is relative to. */
    enum Basis {
        /** The same value without an index in the same round. */
        NO_INDEX,
        /** Nothing. */
        ABSOLUTE
    }

    boolean isAbsolute() {
        return basis == Basis.ABSOLUTE;
    }
}
