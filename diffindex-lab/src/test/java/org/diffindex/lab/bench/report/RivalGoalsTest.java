package org.diffindex.lab.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.lab.bench.experiments.Results.FULL;
import static org.diffindex.lab.bench.experiments.Results.cell;
import static org.diffindex.lab.bench.experiments.Results.result;

import java.util.List;
import java.util.Optional;
import org.diffindex.lab.bench.experiments.FakeRival;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Spread;
import org.junit.jupiter.api.Test;

class RivalGoalsTest {
    private static Goal goal(int number, ExperimentResult... results) {
        return RivalGoals.of(new FakeRival(), List.of(results)).get(number);
    }

    private static Goal puts(double... theirs) {
        return goal(
                0,
                result("update", cell(FULL, 1, "p50_us", 100, 200, 100), cell(FakeRival.INDEXED, 1, "p50_us", theirs)));
    }

    @Test
    void aDurationIsJudgedByTheInverseRatioWithinARound() {
        Goal met = puts(310, 622, 312);
        assertThat(met.figure()).isEqualTo("put p50 / fake");
        assertThat(met.measured()).contains(Spread.of(List.of(3.1, 3.11, 3.12)));
        assertThat(met.met()).contains(true);
        assertThat(met.goalText()).isEqualTo("at least 3 times as fast");
        assertThat(met.measuredText()).isEqualTo("3.11 (3.1 to 3.12) times as fast");
        assertThat(puts(250, 520, 270).met()).contains(false);
    }

    @Test
    void roundsOnBothSidesOfTheBoundLeaveItOpen() {
        Goal open = puts(250, 640, 380);
        assertThat(open.met()).isEmpty();
        assertThat(open.note().orElseThrow()).startsWith("undecided: between ");
        assertThat(goal(
                                0,
                                result(
                                        "update",
                                        cell(FULL, 1, "p50_us", 100, 100),
                                        cell(FakeRival.INDEXED, 1, "p50_us", 400, 400)))
                        .note())
                .contains("fewer than 3 rounds");
    }

    @Test
    void aRateIsJudgedByItsRatio() {
        Goal met = goal(
                1,
                result(
                        "update",
                        cell(FULL, 8, "per_second", 3_100, 3_110, 3_120),
                        cell(FakeRival.INDEXED, 8, "per_second", 1_000, 1_000, 1_000)));
        assertThat(met.measured()).contains(Spread.of(List.of(3.1, 3.11, 3.12)));
        assertThat(met.met()).contains(true);
    }

    @Test
    void aGoalOfAnExperimentThatFailedIsUndecided() {
        ExperimentResult completed = result(
                "update", cell(FULL, 1, "p50_us", 100, 100, 100), cell(FakeRival.INDEXED, 1, "p50_us", 310, 311, 312));
        Goal open = goal(
                0, new ExperimentResult(completed.experiment(), completed.cells(), Optional.of("no region server")));
        assertThat(goal(0, completed).met()).contains(true);
        assertThat(open.met()).isEmpty();
        assertThat(open.note()).contains("the experiment failed");
    }

    @Test
    void withoutEitherFigureAGoalIsNeitherMetNorMissed() {
        for (Goal goal : List.of(
                goal(0),
                goal(0, result("update", cell(FULL, 1, "p50_us", 1, 1, 1))),
                goal(0, result("update", cell(FakeRival.INDEXED, 1, "p50_us", 1, 1, 1))),
                goal(0, result("update", cell(FULL, 1, "p50_us", 1), cell(FakeRival.PLAIN, 1, "p50_us", 1))))) {
            assertThat(goal.measured()).isEmpty();
            assertThat(goal.met()).isEmpty();
        }
    }
}
