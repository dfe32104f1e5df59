package org.diffindex.lab.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.diffindex.lab.bench.compare.Runs.AROUND_ONE;
import static org.diffindex.lab.bench.compare.Runs.COMMITTED;
import static org.diffindex.lab.bench.compare.Runs.changed;
import static org.diffindex.lab.bench.compare.Runs.experiment;
import static org.diffindex.lab.bench.compare.Runs.run;
import static org.diffindex.lab.bench.compare.Runs.staleCell;
import static org.diffindex.lab.bench.compare.Runs.staleness;
import static org.diffindex.lab.bench.compare.Runs.times;
import static org.diffindex.lab.bench.compare.Runs.update;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.statistics.Contender;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ComparisonTest {
    private static Verdict verdict(RecordedRun a, RecordedRun b) {
        List<FigureChange> figures = Comparison.of(a, b).figures();
        assertThat(figures).hasSize(1);
        return figures.get(0).verdict();
    }

    @Test
    void aChangeCountsOnlyIfTheIntervalsDoNotOverlap() {
        RecordedRun before = update(ComparedValue.P50, AROUND_ONE);
        assertThat(verdict(before, update(ComparedValue.P50, times(1.05, AROUND_ONE))))
                .isEqualTo(Verdict.WITHIN_SPREAD);
        assertThat(verdict(before, update(ComparedValue.P50, times(0.95, AROUND_ONE))))
                .isEqualTo(Verdict.WITHIN_SPREAD);
        assertThat(verdict(before, update(ComparedValue.P50, times(1.2, AROUND_ONE))))
                .isEqualTo(Verdict.WORSE);
        assertThat(verdict(before, update(ComparedValue.P50, times(0.8, AROUND_ONE))))
                .isEqualTo(Verdict.BETTER);
        assertThat(verdict(before, update(ComparedValue.P50, times(1.2, 0.5, 0.8, 1, 1.2, 2))))
                .as("a large change of the mean among rounds that differ more")
                .isEqualTo(Verdict.WITHIN_SPREAD);
    }

    @ParameterizedTest
    @EnumSource
    void moreIsWorseOfATimeAndOfACostAndBetterOfARateAndOfAShare(ComparedValue value) {
        Verdict more =
                switch (value) {
                    case PER_SECOND, ROW_MEMORY_HIT_SHARE -> Verdict.BETTER;
                    default -> Verdict.WORSE;
                };
        Verdict less = more == Verdict.BETTER ? Verdict.WORSE : Verdict.BETTER;
        assertThat(verdict(update(value, AROUND_ONE), update(value, times(2, AROUND_ONE))))
                .isEqualTo(more);
        assertThat(verdict(update(value, AROUND_ONE), update(value, times(0.5, AROUND_ONE))))
                .isEqualTo(less);
        assertThat(verdict(staleness(value, AROUND_ONE), staleness(value, times(2, AROUND_ONE))))
                .isEqualTo(more);
        assertThat(verdict(staleness(value, AROUND_ONE), staleness(value, times(0.5, AROUND_ONE))))
                .isEqualTo(less);
    }

    @Test
    void aSlowerMachineChangesNoRatio() {
        RecordedRun fast = update(ComparedValue.P50, AROUND_ONE);
        RecordedRun slow =
                changed(changed(fast, "update", "no index", "p50_us", 3), "update", "sync-full", "p50_us", 3);
        assertThat(verdict(fast, slow)).isEqualTo(Verdict.WITHIN_SPREAD);
    }

    @ParameterizedTest
    @EnumSource(names = {"STALENESS_P50", "DRAIN", "PER_SECOND"})
    void anAbsoluteTimeOrRateCountsOnlyBeyondTheDriftOfTheMachine(ComparedValue value) {
        double slower = value == ComparedValue.PER_SECOND ? 0.5 : 2;
        RecordedRun a = run(noIndex(100), staleCell(value, AROUND_ONE));
        RecordedRun asMuch = run(noIndex(200), staleCell(value, times(slower, AROUND_ONE)));
        RecordedRun more = run(noIndex(200), staleCell(value, times(slower * slower, AROUND_ONE)));
        RecordedRun opposite = run(noIndex(200), staleCell(value, times(1 / slower, AROUND_ONE)));
        assertThat(verdict(a, asMuch)).isEqualTo(Verdict.WITHIN_SPREAD);
        assertThat(verdict(a, more)).isEqualTo(Verdict.WORSE);
        assertThat(verdict(a, opposite)).isEqualTo(Verdict.BETTER);
        assertThat(verdict(a, run(staleCell(value, times(slower, AROUND_ONE)))))
                .as("while nothing is known of the machine")
                .isEqualTo(Verdict.WORSE);
    }

    @Test
    void anAbsoluteTimeMayStayTheSameOnASlowerMachine() {
        RecordedExperiment cell = staleCell(ComparedValue.STALENESS_P50, AROUND_ONE);
        assertThat(verdict(run(noIndex(100), cell), run(noIndex(300), cell))).isEqualTo(Verdict.WITHIN_SPREAD);
        assertThat(verdict(run(noIndex(300), cell), run(noIndex(100), cell))).isEqualTo(Verdict.WITHIN_SPREAD);
    }

    @Test
    void aShareDoesNotDependOnTheMachine() {
        ComparedValue share = ComparedValue.ROW_MEMORY_HIT_SHARE;
        RecordedRun a = run(noIndex(100), staleCell(share, times(0.8, AROUND_ONE)));
        RecordedRun b = run(noIndex(300), staleCell(share, times(0.4, AROUND_ONE)));
        assertThat(verdict(a, b)).isEqualTo(Verdict.WORSE);
    }

    private static RecordedExperiment noIndex(double p50) {
        return experiment("read", Results.cell(Contender.NO_INDEX, 1, "p50_us", p50, p50, p50));
    }

    @Test
    void runsMayDifferInTheNumberOfRounds() {
        RecordedRun five = update(ComparedValue.P50, AROUND_ONE);
        assertThat(verdict(five, update(ComparedValue.P50, 0.97, 1.01, 1.04))).isEqualTo(Verdict.WITHIN_SPREAD);
        assertThat(verdict(five, update(ComparedValue.P50, 1.97, 2.01, 2.04))).isEqualTo(Verdict.WORSE);
        assertThat(verdict(update(ComparedValue.P50, 1.97, 2.01, 2.04), five)).isEqualTo(Verdict.BETTER);
    }

    @Test
    void aFigureOfTooFewRoundsIsNotJudged() {
        RecordedRun five = update(ComparedValue.P50, AROUND_ONE);
        RecordedRun two = update(ComparedValue.P50, 9, 9);
        assertThat(verdict(five, two)).isEqualTo(Verdict.NOT_JUDGED);
        assertThat(verdict(two, five)).isEqualTo(Verdict.NOT_JUDGED);
        assertThat(verdict(five, update(ComparedValue.P50, 9, 9, 9, 9, 0)))
                .as("a round of 0, whose logarithm does not exist")
                .isEqualTo(Verdict.NOT_JUDGED);
        assertThat(Comparison.of(five, two).compared()).isZero();
        assertThat(Comparison.of(five, two).hasWorse()).isFalse();
    }

    @Test
    void aFigureThatOneRunLacksIsNotCompared() {
        RecordedRun both = run(
                experiment(
                        "update",
                        Results.cell(Contender.NO_INDEX, 1, "p50_us", 1, 1, 1),
                        Results.cell(Results.FULL, 1, "p50_us", 2, 2, 2),
                        Results.cell(Results.INSERT, 1, "p50_us", 2, 2, 2)),
                noIndex(100));
        RecordedRun one = run(experiment(
                "update",
                Results.cell(Contender.NO_INDEX, 1, "p50_us", 1, 1, 1),
                Results.cell(Results.INSERT, 1, "p50_us", 9, 9, 9)));
        Comparison comparison = Comparison.of(both, one);
        assertThat(comparison.count(Verdict.ONLY_IN_A)).isOne();
        assertThat(comparison.count(Verdict.WORSE)).isOne();
        assertThat(comparison.compared()).isOne();
        assertThat(Comparison.of(one, both).count(Verdict.ONLY_IN_B)).isOne();
    }

    @Test
    void aRatioIsNeverComparedWithAnAbsoluteFigure() {
        RecordedRun ratio = update(ComparedValue.P50, AROUND_ONE);
        RecordedRun absolute = run(experiment("update", Results.cell(Results.FULL, 1, "p50_us", 900, 900, 900)));
        Comparison comparison = Comparison.of(ratio, absolute);
        assertThat(comparison.compared()).isZero();
        assertThat(comparison.count(Verdict.ONLY_IN_A)).isOne();
        assertThat(comparison.count(Verdict.ONLY_IN_B)).isOne();
    }

    @Test
    void asManyFiguresChangeByChanceAsIsStated() {
        Random random = new Random(1);
        int figures = 5_000;
        long changed = 0;
        for (int i = 0; i < figures; i++) {
            changed += verdict(noise(random), noise(random)).isChange() ? 1 : 0;
        }
        Comparison one = Comparison.of(noise(random), noise(random));
        assertThat((double) changed / figures).isCloseTo(one.expectedByChance(), within(0.002));
    }

    private static RecordedRun noise(Random random) {
        double[] ratios = new double[5];
        Arrays.setAll(ratios, i -> Math.exp(0.1 * random.nextGaussian()));
        return update(ComparedValue.P50, ratios);
    }

    private static RecordedRun goal(String bound, OptionalDouble measured, Optional<Boolean> met) {
        RecordedRun run = run();
        return new RecordedRun(
                run.file(), run.facts(), List.of(new RecordedGoal("put", bound, measured, met)), run.experiments());
    }

    private static RecordedRun goal(boolean met) {
        return goal("at most 1.3", OptionalDouble.of(met ? 1.1 : 1.6), Optional.of(met));
    }

    private static Verdict goalVerdict(RecordedRun a, RecordedRun b) {
        return Comparison.of(a, b).goals().get(0).verdict();
    }

    @Test
    void aGoalIsWorseIfItWasMetAndIsMissed() {
        assertThat(goalVerdict(goal(true), goal(false))).isEqualTo(Verdict.WORSE);
        assertThat(Comparison.of(goal(true), goal(false)).hasWorse()).isTrue();
        assertThat(goalVerdict(goal(false), goal(true))).isEqualTo(Verdict.BETTER);
        assertThat(Comparison.of(goal(false), goal(true)).hasWorse()).isFalse();
        assertThat(goalVerdict(goal(false), goal(false))).isEqualTo(Verdict.WITHIN_SPREAD);
    }

    @Test
    void aGoalThatIsUndecidedOrBoundedOtherwiseIsNotJudged() {
        RecordedRun undecided = goal("at most 1.3", OptionalDouble.of(1.3), Optional.empty());
        RecordedRun otherwise = goal("at most 1.5", OptionalDouble.of(1.6), Optional.of(false));
        assertThat(goalVerdict(goal(true), undecided)).isEqualTo(Verdict.NOT_JUDGED);
        assertThat(goalVerdict(undecided, goal(false))).isEqualTo(Verdict.NOT_JUDGED);
        assertThat(goalVerdict(goal(true), otherwise)).isEqualTo(Verdict.NOT_JUDGED);
        assertThat(goalVerdict(goal(true), run())).isEqualTo(Verdict.ONLY_IN_A);
        assertThat(goalVerdict(run(), goal(true))).isEqualTo(Verdict.ONLY_IN_B);
    }

    @Test
    void aReportComparedWithItselfHasNotChanged() throws IOException {
        RecordedRun report = ResultsReader.read(COMMITTED);
        Comparison comparison = Comparison.of(report, report);
        assertThat(comparison.compared()).isGreaterThan(300).isEqualTo(comparison.count(Verdict.WITHIN_SPREAD));
        assertThat(comparison.count(Verdict.ONLY_IN_A) + comparison.count(Verdict.ONLY_IN_B))
                .isZero();
        assertThat(comparison.goals()).hasSize(14).noneMatch(goal -> goal.verdict()
                .isChange());
        assertThat(FactDifference.between(report, report)).isEmpty();
        assertThat(comparison.drift().range().low()).isEqualTo(1);
        assertThat(comparison.drift().range().high()).isEqualTo(1);
    }

    @Test
    void findsWhatChangedInAReportAndNothingElse() throws IOException {
        RecordedRun report = ResultsReader.read(COMMITTED);
        RecordedRun slower = changed(report, "batch", "sync-full", "p50_us", 3);
        assertThat(Comparison.of(report, slower).figures())
                .filteredOn(change -> change.verdict().isChange())
                .singleElement()
                .satisfies(change -> {
                    assertThat(change.verdict()).isEqualTo(Verdict.WORSE);
                    assertThat(change.name().toString()).contains("batch", "sync-full", "P50", "NO_INDEX");
                    assertThat(change.factor()).isCloseTo(3, within(1e-9));
                });
    }
}
