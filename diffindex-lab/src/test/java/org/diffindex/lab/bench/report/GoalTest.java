package org.diffindex.lab.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.diffindex.lab.bench.report.Goal.Bound;
import org.diffindex.lab.bench.statistics.Interval;
import org.diffindex.lab.bench.statistics.Spread;
import org.junit.jupiter.api.Test;

class GoalTest {
    private static Goal atMost(double bound, String unit, Double... rounds) {
        return Goal.of("figure", Bound.atMost(bound), unit, Optional.of(Spread.of(List.of(rounds))));
    }

    @Test
    void anIntervalOnOneSideOfTheBoundDecides() {
        assertThat(Bound.atMost(2).isMetBy(new Interval(1, 2))).contains(true);
        assertThat(Bound.atMost(2).isMetBy(new Interval(2.1, 3))).contains(false);
        assertThat(Bound.atLeast(2).isMetBy(new Interval(2, 3))).contains(true);
        assertThat(Bound.atLeast(2).isMetBy(new Interval(1, 1.9))).contains(false);
    }

    @Test
    void anIntervalAroundTheBoundDecidesNothing() {
        assertThat(Bound.atMost(2).isMetBy(new Interval(1.9, 2.1))).isEmpty();
        assertThat(Bound.atLeast(2).isMetBy(new Interval(1.9, 2.1))).isEmpty();
    }

    @Test
    void anUndecidedGoalNamesTheInterval() {
        Goal goal = atMost(1.3, "", 1.1, 1.3, 1.5);
        assertThat(goal.met()).isEmpty();
        assertThat(goal.metText()).isEqualTo("-");
        assertThat(goal.note().orElseThrow()).matches("undecided: between 0\\.\\d+ and 1\\.\\d+");
    }

    @Test
    void aGoalWithoutAnIntervalSaysWhy() {
        assertThat(atMost(1.1, "", 1.0, 1.0).note()).contains("fewer than 3 rounds");
        assertThat(atMost(1.1, "", 1.0, -0.5, 1.0, 1.0).note()).contains("a round is not above 0: -0.5");
        assertThat(atMost(1.1, "", 1.0, 0.0, 1.0).note()).contains("a round is not above 0: 0");
    }

    @Test
    void theTextsContainTheMedianTheRangeAndTheUnit() {
        assertThat(atMost(50, "ms", 60.0, 40.0, 45.0))
                .returns("45 (40 to 60) ms", Goal::measuredText)
                .returns("at most 50 ms", Goal::goalText);
        assertThat(atMost(50, "", 45.0, 45.0).measuredText()).isEqualTo("45");
        assertThat(Goal.of("figure", Bound.atLeast(1_000), "times faster", Optional.empty()))
                .returns("not measured", Goal::measuredText)
                .returns("at least 1,000 times faster", Goal::goalText);
    }

    @Test
    void anotherVerdictKeepsTheFigureAndGivesTheReason() {
        Goal goal = atMost(2, "", 1.0, 1.0, 1.0);
        assertThat(goal.metText()).isEqualTo("met");
        Goal judged = goal.judged(Optional.empty(), "too few rows");
        assertThat(judged.measured()).isEqualTo(goal.measured());
        assertThat(judged.met()).isEmpty();
        assertThat(judged.note()).contains("too few rows");
        assertThat(goal.judged(Optional.of(false), "why").metText()).isEqualTo("not met");
    }

    @Test
    void plainCallsDoNotChangeTheVerdict() {
        Goal goal = atMost(2, "", 1.0, 1.0, 1.0);
        Goal beside = goal.beside(Optional.of(new Goal.Plain("two puts", Spread.of(List.of(9.0, 8.0)))));
        assertThat(beside.met()).contains(true);
        assertThat(beside.plainText()).isEqualTo("two puts: 8.5 (8 to 9)");
        assertThat(beside.judged(Optional.of(false), "why").plainText()).isEqualTo("two puts: 8.5 (8 to 9)");
        assertThat(goal.plainText()).isEmpty();
    }
}
