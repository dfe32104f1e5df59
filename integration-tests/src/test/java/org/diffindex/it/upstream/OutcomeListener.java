package org.diffindex.it.upstream;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.runner.Description;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Compares indexes and tables at the end of each test of HBase, and prints its outcome; one outcome for each failure, if
 * the test, or what follows it, fails more than once.
 */
final class OutcomeListener extends RunListener {
    private static final IndexedTables.Found NOTHING = new IndexedTables.Found(0, 0, 0, List.of());

    private final HBaseTestClass tests;
    private final PrintStream out;
    private long started;
    private final List<String> failures = new ArrayList<>();
    private String assumption = "";

    OutcomeListener(HBaseTestClass tests, PrintStream out) {
        this.tests = tests;
        this.out = out;
    }

    @Override
    public void testStarted(Description test) {
        started = System.nanoTime();
        failures.clear();
        assumption = "";
        IndexedTables.testStarts();
    }

    @Override
    public void testFailure(Failure problem) {
        if (problem.getDescription().isTest()) {
            failures.add(problem.getTrimmedTrace());
        } else {
            print("(class)", Outcome.Kind.FAILED, NOTHING, problem.getTrimmedTrace());
        }
    }

    @Override
    public void testAssumptionFailure(Failure problem) {
        if (problem.getDescription().isTest()) {
            assumption = problem.getTrimmedTrace();
        } else {
            print("(class)", Outcome.Kind.IGNORED, NOTHING, problem.getTrimmedTrace());
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
            print(nameOf(test), Outcome.Kind.DIFFERENT, found, differences + " " + String.join(" ", failures));
        } else if (!failures.isEmpty()) {
            print(nameOf(test), Outcome.Kind.FAILED, found, failures.get(0));
            failures.stream().skip(1).forEach(more -> print(nameOf(test), Outcome.Kind.FAILED, NOTHING, more));
        } else {
            Outcome.Kind kind = assumption.isEmpty() ? Outcome.Kind.PASSED : Outcome.Kind.IGNORED;
            print(nameOf(test), kind, found, assumption);
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
                found,
                message));
        out.flush();
    }
}
