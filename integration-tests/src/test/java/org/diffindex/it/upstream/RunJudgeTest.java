package org.diffindex.it.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.diffindex.it.upstream.Outcome.Kind;
import org.junit.jupiter.api.Test;

class RunJudgeTest {
    private static final String CLASS = "TestIncrementsFromClientSide";
    private static final String LISTED = CLASS + ".testIncrementWithTtlTags";
    private static final String BY_DESIGN = ByDesign.REASONS.get(LISTED).message();
    private static final Outcome PASSED = outcome("testIncrement", Kind.PASSED, "");
    private static final Outcome REFUSED = outcome(LISTED, Kind.FAILED, 0, "IOException: " + BY_DESIGN);

    private static Outcome outcome(String test, Kind kind, long entries, String message) {
        return new Outcome(test, kind, 1, 1, 1, entries, message);
    }

    private static Outcome outcome(String method, Kind kind, String message) {
        return outcome(CLASS + "." + method, kind, 3, message);
    }

    /** Returns the problems of a run of the class in which a test has passed, and these are the other outcomes. */
    private static List<String> problems(String scheme, Outcome... others) {
        return RunJudge.problems(
                scheme,
                List.of(HBaseTestClass.named(CLASS)),
                Stream.concat(Stream.of(PASSED), Stream.of(others)).toList());
    }

    @Test
    void aListedTestMayFailForItsReason() {
        assertThat(problems("in-turn", REFUSED)).isEmpty();
        assertThat(problems("in-turn", outcome("testOther", Kind.FAILED, BY_DESIGN)))
                .hasSize(1);
    }

    @Test
    void aListedTestMayNotFailForAnotherReason() {
        assertThat(problems("in-turn", outcome(LISTED, Kind.FAILED, 0, "NullPointerException")))
                .singleElement()
                .asString()
                .contains("NullPointerException");
        assertThat(problems("in-turn", REFUSED, outcome(LISTED, Kind.FAILED, 0, "in tearDown: NullPointerException")))
                .hasSize(1);
    }

    @Test
    void noReasonExplainsThatAnIndexDiffers() {
        assertThat(problems("in-turn", outcome(LISTED, Kind.DIFFERENT, 1, "1 missing, " + BY_DESIGN)))
                .hasSize(1);
    }

    @Test
    void aListedTestThatPassesIsAProblem() {
        assertThat(problems("in-turn", outcome(LISTED, Kind.PASSED, 1, ""))).hasSize(1);
        assertThat(problems("in-turn", outcome(LISTED, Kind.IGNORED, 0, ""))).hasSize(1);
    }

    @Test
    void withoutIndexesEveryTestMustPassAndNothingIsCompared() {
        Outcome plain = new Outcome(PASSED.test(), Kind.PASSED, 1, 0, 0, 0, "");
        Outcome listed = new Outcome(LISTED, Kind.PASSED, 1, 0, 0, 0, "");
        List<HBaseTestClass> classes = List.of(HBaseTestClass.named(CLASS));
        assertThat(RunJudge.problems("none", classes, List.of(plain, listed))).isEmpty();
        assertThat(RunJudge.problems("none", classes, List.of(plain, REFUSED))).hasSize(1);
    }

    @Test
    void eachClassHasComparedEntries() {
        List<HBaseTestClass> classes = List.of(HBaseTestClass.named(CLASS));
        assertThat(RunJudge.problems("in-turn", classes, List.of(outcome(PASSED.test(), Kind.PASSED, 0, ""))))
                .hasSize(1);
        assertThat(RunJudge.problems("in-turn", classes, List.of())).hasSize(1);
        assertThat(RunJudge.problems("none", classes, List.of())).hasSize(1);
    }

    @Test
    void aTestWithIndexedTablesIsFollowedByAComparison() {
        String test = CLASS + ".testBuilder";
        assertThat(problems("in-turn", new Outcome(test, Kind.PASSED, 1, 1, 0, 0, "")))
                .hasSize(1);
        assertThat(problems("in-turn", new Outcome(test, Kind.PASSED, 1, 0, 0, 0, "")))
                .isEmpty();
    }

    @Test
    void theSummaryNamesTestsThatPassedWithoutAComparison() {
        Outcome none = new Outcome(CLASS + ".testBuilder", Kind.PASSED, 1, 0, 0, 0, "");
        assertThat(RunJudge.summary("in-turn", List.of(PASSED, none, REFUSED)))
                .contains("3 tests", "1 passed without a comparison [" + CLASS + ".testBuilder]");
    }
}
