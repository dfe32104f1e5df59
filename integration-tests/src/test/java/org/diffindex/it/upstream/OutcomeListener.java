package org.diffindex.it.upstream;

import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.runner.Description;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Compares indexes and tables at the end of each test of HBase, and prints its outcome. */
final class OutcomeListener extends RunListener {
    private static final IndexedTables.Found NOTHING = new IndexedTables.Found(0, 0, List.of());

    private final HBaseTestClass tests;
    private final PrintStream out;
    private long started;
    private String failure = "";

    OutcomeListener(HBaseTestClass tests, PrintStream out) {
        this.tests = tests;
        this.out = out;
    }

    @Override
    public void testStarted(Description test) {
        started = System.nanoTime();
        failure = "";
        IndexedTables.testStarts();
    }

    @Override
    public void testFailure(Failure problem) {
        if (problem.getDescription().isTest()) {
            failure = problem.getTrimmedTrace();
        } else {
            print("(class)", Outcome.Kind.FAILED, NOTHING, problem.getTrimmedTrace());
        }
    }

    @Override
    public void testIgnored(Description test) {
        print(nameOf(test), Outcome.Kind.IGNORED, NOTHING, "");
    }

    @Override
    public void testFinished(Description test) {
        IndexedTables.Found found = IndexedTables.testEnds();
        String differences = String.join("; ", found.differences());
        if (!differences.isEmpty()) {
            print(nameOf(test), Outcome.Kind.DIFFERENT, found, differences + " " + failure);
        } else if (!failure.isEmpty()) {
            print(nameOf(test), Outcome.Kind.FAILED, found, failure);
        } else {
            print(nameOf(test), Outcome.Kind.PASSED, found, "");
        }
    }

    /** The method's name, without the parameters of the class. */
    private static String nameOf(Description test) {
        return test.isTest() ? test.getMethodName().replaceAll("\\[.*", "") : "(class)";
    }

    private void print(String method, Outcome.Kind kind, IndexedTables.Found found, String message) {
        out.println(new Outcome(
                tests.simpleName() + "." + method,
                kind,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started),
                found.comparisons(),
                found.entries(),
                message));
        out.flush();
    }
}
