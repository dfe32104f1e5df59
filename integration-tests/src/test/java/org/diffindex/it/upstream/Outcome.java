package org.diffindex.it.upstream;

import java.util.List;

/**
 * The outcome of one test of HBase on indexed tables.
 *
 * @param test the class without packages, and the method, {@code TestAppendFromClientSide.testAppend}
 * @param kind the kind of outcome
 * @param millis the duration in milliseconds, including the comparisons
 * @param comparisons how many indexes were compared with their tables
 * @param entries how many entries these indexes together should have had
 * @param message what is wrong; empty if nothing is
 */
record Outcome(String test, Kind kind, long millis, int comparisons, long entries, String message) {
    private static final String SEPARATOR = "\t";

    /** The kinds of outcome. */
    enum Kind {
        PASSED,
        /** HBase does not run it either. */
        IGNORED,
        /** Its own assertions failed. */
        FAILED,
        /** An index differs from its table. */
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

    /** Returns one line, for {@link #parse}. */
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
