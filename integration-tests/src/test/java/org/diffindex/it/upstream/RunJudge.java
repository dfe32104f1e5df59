package org.diffindex.it.upstream;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Judges a run of tests of HBase, by the outcomes of its tests. */
final class RunJudge {
    private final boolean isPlain;
    private final List<Outcome> outcomes;
    private final List<String> problems = new ArrayList<>();

    private RunJudge(String scheme, List<Outcome> outcomes) {
        this.isPlain = scheme.equals(HBaseTestRun.NONE);
        this.outcomes = outcomes;
    }

    /** Returns what is wrong with a run of these classes. */
    static List<String> problems(String scheme, List<HBaseTestClass> classes, List<Outcome> outcomes) {
        RunJudge judge = new RunJudge(scheme, outcomes);
        outcomes.forEach(judge::judge);
        classes.stream().map(HBaseTestClass::simpleName).forEach(judge::judge);
        return judge.problems;
    }

    private void judge(Outcome outcome) {
        if (outcome.isBad() && (isPlain || !ByDesign.explains(outcome))) {
            problems.add("fails without a listed reason: " + outcome);
        } else if (!isPlain && !outcome.isBad() && ByDesign.lists(outcome)) {
            problems.add("is listed as failing on indexed tables, and does not fail: " + outcome);
        }
        if (outcome.kind() == Outcome.Kind.PASSED && outcome.tables() > 0 && outcome.comparisons() == 0) {
            problems.add("none of its tables with indexes was compared: " + outcome);
        }
    }

    private void judge(String testClass) {
        List<Outcome> own = outcomes.stream()
                .filter(outcome -> outcome.testClass().equals(testClass))
                .toList();
        if (own.isEmpty()) {
            problems.add("no test was run: " + testClass);
        } else if (!isPlain && own.stream().allMatch(outcome -> outcome.entries() == 0)) {
            problems.add("no index with entries was compared after any of its tests: " + testClass);
        }
    }

    /** Returns the counts of each class; in a run with indexes also its tests that passed without a comparison. */
    static String summary(String scheme, List<Outcome> outcomes) {
        StringBuilder text = new StringBuilder();
        outcomes.stream()
                .collect(groupingBy(Outcome::testClass, TreeMap::new, toList()))
                .forEach((name, tests) -> text.append(String.format(
                        "%s %s: %d tests in %d s, %d comparisons of indexes with %d entries%s%n",
                        scheme,
                        name,
                        tests.size(),
                        tests.stream().mapToLong(Outcome::millis).sum() / 1_000,
                        tests.stream().mapToInt(Outcome::comparisons).sum(),
                        tests.stream().mapToLong(Outcome::entries).sum(),
                        scheme.equals(HBaseTestRun.NONE) ? "" : "; " + passedWithoutComparison(tests))));
        return text.toString();
    }

    private static String passedWithoutComparison(List<Outcome> outcomes) {
        List<String> tests = outcomes.stream()
                .filter(outcome -> outcome.kind() == Outcome.Kind.PASSED && outcome.comparisons() == 0)
                .map(Outcome::test)
                .toList();
        return tests.size() + " passed without a comparison " + tests;
    }
}
