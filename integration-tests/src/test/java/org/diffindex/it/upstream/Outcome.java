package org.diffindex.it.upstream;

import java.util.List;

/**
 * How one test of HBase's ended on indexed tables.
 *
 * @param test the class without packages, and the method, {@code TestAppendFromClientSide.testAppend}
 * @param kind how
 * @param millis how long it took, with the comparisons
 * @param comparisons how many indexes were compared with their tables
 * @param entries how many entries these should have had, together
 * @param message what is wrong; empty if nothing is
 */
record Outcome(String test, Kind kind, long millis, int comparisons, long entries, String message) {
    private static final String SEPARATOR = "\t";

    /** How a test can end. */
    enum Kind {
        PASSED,
        /** HBase does not run it either. */
        IGNORED,
        /** By its own assertions. */
        FAILED,
        /** An index says something else than its table. */
        DIFFERENT
    }

    boolean isBad() {
        return kind == Kind.FAILED || kind == Kind.DIFFERENT;
    }

    String testClass() {
        return test.substring(0, test.indexOf('.'));
    }

    static Outcome parse(String line) {
        List<String> parts = List.of(line.split(SEPARATOR, 6));
        return new Outcome(
                parts.get(0),
                Kind.valueOf(parts.get(1)),
                Long.parseLong(parts.get(2)),
                Integer.parseInt(parts.get(3)),
                Long.parseLong(parts.get(4)),
                parts.get(5));
    }

    /** One line, for {@link #parse}. */
    @Override
    public String toString() {
        return String.join(
                SEPARATOR,
                test,
                kind.name(),
                Long.toString(millis),
                Integer.toString(comparisons),
                Long.toString(entries),
                message.replaceAll("\\s+", " "));
    }
}
