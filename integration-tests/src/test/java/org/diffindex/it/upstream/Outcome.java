package org.diffindex.it.upstream;

import java.util.List;
import org.diffindex.it.upstream.IndexedTables.Found;

/**
 * The outcome of one test of HBase on indexed tables.
 *
 * @param test the class without packages, and the method, {@code TestAppendFromClientSide.testAppend}
 * @param kind the kind of outcome
 * @param millis the duration in milliseconds, including the comparisons
 * @param tables how many tables with indexes it could write
 * @param comparisons how many indexes were compared with their tables
 * @param entries how many entries these indexes together should have had
 * @param message what is wrong, or why it was not run; empty if it passed
 */
record Outcome(String test, Kind kind, long millis, int tables, int comparisons, long entries, String message) {
    private static final String SEPARATOR = "\t";

    /** The kinds of outcome. */
    enum Kind {
        PASSED,
        /** HBase does not run it either, or not here: an assumption of the test does not hold. */
        IGNORED,
        /** Its own assertions failed. */
        FAILED,
        /** An index differs from its table. */
        DIFFERENT
    }

    Outcome(String test, Kind kind, long millis, Found found, String message) {
        this(test, kind, millis, found.tables(), found.comparisons(), found.entries(), message);
    }

    boolean isBad() {
        return kind == Kind.FAILED || kind == Kind.DIFFERENT;
    }

    String testClass() {
        return test.substring(0, test.indexOf('.'));
    }

    static Outcome parse(String line) {
        List<String> parts = List.of(line.split(SEPARATOR, 7));
        return new Outcome(
                parts.get(0),
                Kind.valueOf(parts.get(1)),
                Long.parseLong(parts.get(2)),
                Integer.parseInt(parts.get(3)),
                Integer.parseInt(parts.get(4)),
                Long.parseLong(parts.get(5)),
                parts.get(6));
    }

    /** Returns one line, for {@link #parse}. */
    @Override
    public String toString() {
        return String.join(
                SEPARATOR,
                test,
                kind.name(),
                Long.toString(millis),
                Integer.toString(tables),
                Integer.toString(comparisons),
                Long.toString(entries),
                message.replaceAll("\\s+", " "));
    }
}
