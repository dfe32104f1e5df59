package org.diffindex.it.upstream;

import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.diffindex.model.IndexScheme;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;

/**
 * Runs test classes of HBase, one after the other, with indexes of one scheme on every table that they create. Runs in
 * a process of its own: the classes change the clock and other settings of the JVM, and each starts a cluster. Some have
 * static state that a class before them has spoiled, and need a process for themselves.
 *
 * <p>The arguments are the file for the outcomes, and the names of the classes. With the scheme {@code none} there are
 * no indexes.
 */
public final class HBaseTestRun {
    static final String SCHEME = "diffindex.upstream.scheme";

    /** The test methods to run, as a regular expression. */
    static final String METHODS = "diffindex.upstream.methods";

    /** Used instead of a scheme: each table has indexes of the next scheme. */
    static final String IN_TURN = "in-turn";

    /** Used instead of a scheme: each table has every index once for each scheme. */
    static final String EVERY = "every";

    /** Used instead of a scheme: there are no indexes. */
    static final String NONE = "none";

    private static final AtomicInteger tables = new AtomicInteger();
    private static volatile HBaseTestClass running;

    private HBaseTestRun() {}

    static boolean isPlain() {
        return System.getProperty(SCHEME).equals(NONE);
    }

    /** Returns the schemes of the next table's indexes. */
    static List<IndexScheme> nextSchemes() {
        List<IndexScheme> all = List.of(IndexScheme.values());
        return switch (System.getProperty(SCHEME)) {
            case EVERY -> all;
            case IN_TURN -> List.of(all.get(tables.getAndIncrement() % all.size()));
            default -> List.of(IndexScheme.ofName(System.getProperty(SCHEME)));
        };
    }

    static HBaseTestClass running() {
        return running;
    }

    public static void main(String[] arguments) throws Exception {
        List<HBaseTestClass> classes = new ArrayList<>();
        Arrays.stream(arguments).skip(1).map(HBaseTestClass::named).forEach(classes::add);
        tables.set(HBaseTestClass.ALL.indexOf(classes.get(0))); // so that not all processes begin with one scheme
        try (PrintStream out =
                new PrintStream(new FileOutputStream(arguments[0], true), true, StandardCharsets.UTF_8)) {
            for (HBaseTestClass each : classes) {
                run(each, out);
            }
        }
        System.exit(0); // threads of HBase are still alive
    }

    private static void run(HBaseTestClass tests, PrintStream out) throws ClassNotFoundException {
        running = tests;
        IndexedTables.classStarts();
        JUnitCore core = new JUnitCore();
        core.addListener(new OutcomeListener(tests, out));
        core.run(Request.aClass(tests.load()).filterWith(new Selection()));
    }

    /**
     * Runs a parameterized class with its first parameters only: the others differ in how a client finds the cluster.
     */
    private static final class Selection extends Filter {
        private final String methods = System.getProperty(METHODS, ".*");

        @Override
        public boolean shouldRun(Description description) {
            if (description.isTest()) {
                String name = description.getMethodName();
                return name.replaceAll("\\[.*", "").matches(methods) && !name.matches(".*\\[[1-9].*");
            }
            return description.getChildren().stream().anyMatch(this::shouldRun);
        }

        @Override
        public String describe() {
            return methods + " with the first parameters";
        }
    }
}
