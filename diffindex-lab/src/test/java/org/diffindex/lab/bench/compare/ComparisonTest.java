package org.diffindex.lab.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.diffindex.lab.bench.compare.Runs.AROUND_ONE;
import static org.diffindex.lab.bench.compare.Runs.COMMITTED;
import static org.diffindex.lab.bench.compare.Runs.atRate;
import static org.diffindex.lab.bench.compare.Runs.below;
import static org.diffindex.lab.bench.compare.Runs.changed;
import static org.diffindex.lab.bench.compare.Runs.experiment;
import static org.diffindex.lab.bench.compare.Runs.run;
import static org.diffindex.lab.bench.compare.Runs.staleCell;
import static org.diffindex.lab.bench.compare.Runs.staleness;
import static org.diffindex.lab.bench.compare.Runs.times;
import static org.diffindex.lab.bench.compare.Runs.update;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.Interval;
import org.diffindex.lab.bench.statistics.Measurement;
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
                changed(changed(fast, "update", "no index", "p50_us", 3), "update", "async-simple", "p50_us", 3);
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

    @Test
    void aShareThatFallsToZeroIsWorse() {
        ComparedValue share = ComparedValue.ROW_MEMORY_HIT_SHARE;
        RecordedRun none = staleness(share, 0, 0, 0);
        assertThat(verdict(staleness(share, times(0.9, AROUND_ONE)), none)).isEqualTo(Verdict.WORSE);
        assertThat(verdict(none, staleness(share, times(0.9, AROUND_ONE)))).isEqualTo(Verdict.BETTER);
        assertThat(verdict(none, none)).isEqualTo(Verdict.WITHIN_SPREAD);
        assertThat(verdict(staleness(share, 0.9, 0.9, 0.9), staleness(share, 0.5, 0, 0.9)))
                .as("a round of 0 among others")
                .isEqualTo(Verdict.WITHIN_SPREAD);
    }

    @Test
    void aTimeOfZeroIsNotJudgedAndNotMissing() {
        RecordedRun some = staleness(ComparedValue.STALENESS_P50, AROUND_ONE);
        RecordedRun none = staleness(ComparedValue.STALENESS_P50, 0, 0, 0);
        assertThat(verdict(some, none)).isEqualTo(Verdict.NOT_JUDGED);
        assertThat(verdict(none, some)).isEqualTo(Verdict.NOT_JUDGED);
    }

    /** A histogram of two digits counts 11.0 ms and 11.07 ms in neighbouring buckets. */
    @Test
    void aDifferenceBelowTheResolutionIsNoChange() {
        RecordedRun before = staleness(ComparedValue.STALENESS_P50, 11, 11, 11);
        RecordedRun step = staleness(ComparedValue.STALENESS_P50, 11.07, 11.07, 11.07);
        RecordedRun more = staleness(ComparedValue.STALENESS_P50, 11.3, 11.3, 11.3);
        assertThat(verdict(before, step)).isEqualTo(Verdict.WITHIN_SPREAD);
        assertThat(verdict(step, before)).isEqualTo(Verdict.WITHIN_SPREAD);
        assertThat(verdict(before, more)).isEqualTo(Verdict.WORSE);
        assertThat(verdict(more, before)).isEqualTo(Verdict.BETTER);
        assertThat(verdict(update(ComparedValue.P50, 2, 2, 2), update(ComparedValue.P50, 2.01, 2.01, 2.01)))
                .isEqualTo(Verdict.WITHIN_SPREAD);
    }

    /** One row in a thousand and two in a thousand differ by a factor of two. */
    @Test
    void sharesAreComparedByTheirDifference() {
        ComparedValue share = ComparedValue.ROW_MEMORY_HIT_SHARE;
        RecordedRun one = staleness(share, 0.001, 0.001, 0.001);
        assertThat(verdict(one, staleness(share, 0.002, 0.002, 0.002))).isEqualTo(Verdict.WITHIN_SPREAD);
        assertThat(verdict(one, staleness(share, 0.02, 0.02, 0.02))).isEqualTo(Verdict.BETTER);
    }

    /** 70% of the highest rate, where that is three times as high. */
    @Test
    void figuresAtDifferentRatesAreNotCompared() {
        RecordedRun slow = stalenessAt(1_000, 10);
        RecordedRun fast = stalenessAt(3_000, 15);
        assertThat(verdict(slow, fast)).isEqualTo(Verdict.DIFFERENT_RATES);
        assertThat(verdict(fast, slow)).isEqualTo(Verdict.DIFFERENT_RATES);
        assertThat(verdict(slow, stalenessAt(1_040, 15))).isEqualTo(Verdict.WORSE);
        assertThat(verdict(slow, staleness(ComparedValue.STALENESS_P50, times(15, AROUND_ONE))))
                .as("compared with a closed loop")
                .isEqualTo(Verdict.DIFFERENT_RATES);
        assertThat(Comparison.of(slow, fast).compared()).isZero();
        assertThat(Comparison.of(slow, fast).hasWorse()).isFalse();
        assertThat(Comparison.of(slow, fast).isEmpty()).isTrue();
    }

    private static RecordedRun stalenessAt(double rate, double p50) {
        return run(experiment(
                "staleness", atRate(rate, Results.cell(Results.ASYNC, 1, "staleness_p50_ms", times(p50, AROUND_ONE)))));
    }

    @Test
    void aRatioIsComparedOnlyIfAllItsRatesAreAlike() {
        RecordedRun before = updatesAt(1_000, 1_000, 200);
        assertThat(verdict(before, updatesAt(1_000, 1_000, 400))).isEqualTo(Verdict.WORSE);
        assertThat(verdict(before, updatesAt(2_000, 2_000, 400))).isEqualTo(Verdict.DIFFERENT_RATES);
        assertThat(verdict(before, updatesAt(1_000, 2_000, 400))).isEqualTo(Verdict.DIFFERENT_RATES);
        assertThat(verdict(updatesAt(700, 1_000, 200), updatesAt(700, 1_000, 400)))
                .as("of a contender at another rate than no index")
                .isEqualTo(Verdict.DIFFERENT_RATES);
    }

    private static RecordedRun updatesAt(double rate, double rateOfNoIndex, double p50) {
        return run(experiment(
                "update-rate",
                atRate(rateOfNoIndex, Results.cell(Contender.NO_INDEX, 70, "p50_us", 100, 100, 100)),
                atRate(rate, Results.cell(Results.FULL, 70, "p50_us", p50, p50, p50))));
    }

    /** A goal for staleness is not met by such a run either. */
    @Test
    void aFigureBelowTheRequestedRateIsNotJudged() {
        RecordedRun reached = stalenessAt(1_000, 40);
        RecordedRun missed = stalenessBelow(1_000, 400, 10);
        assertThat(verdict(reached, missed)).isEqualTo(Verdict.BELOW_RATE);
        assertThat(verdict(missed, reached)).isEqualTo(Verdict.BELOW_RATE);
        assertThat(verdict(missed, stalenessAt(3_000, 40)))
                .as("at another requested rate")
                .isEqualTo(Verdict.DIFFERENT_RATES);
        assertThat(Comparison.of(reached, missed).compared()).isZero();
        assertThat(Comparison.of(reached, missed).isEmpty()).isTrue();
    }

    private static RecordedRun stalenessBelow(double rate, double reached, double p50) {
        return run(experiment(
                "staleness",
                below(rate, reached, Results.cell(Results.ASYNC, 1, "staleness_p50_ms", times(p50, AROUND_ONE)))));
    }

    @Test
    void oneRoundBelowTheRequestedRateIsEnough() {
        CellResult cell = atRate(1_000, Results.cell(Results.ASYNC, 1, "staleness_p50_ms", 9, 9, 9));
        List<Measurement> rounds = new ArrayList<>(cell.rounds());
        rounds.set(1, rounds.get(1).with(Measurement.NOT_STARTED, 1));
        RecordedRun late = run(experiment("staleness", new CellResult(cell.cell(), rounds)));
        assertThat(verdict(run(experiment("staleness", cell)), late)).isEqualTo(Verdict.BELOW_RATE);
    }

    @Test
    void aRatioToNoIndexBelowTheRequestedRateIsNotJudged() {
        CellResult noIndex = Results.cell(Contender.NO_INDEX, 70, "p50_us", 100, 100, 100);
        CellResult full = atRate(1_000, Results.cell(Results.FULL, 70, "p50_us", 200, 200, 200));
        RecordedRun reached = run(experiment("update-rate", atRate(1_000, noIndex), full));
        RecordedRun missed = run(experiment("update-rate", below(1_000, 400, noIndex), full));
        assertThat(verdict(reached, missed)).isEqualTo(Verdict.BELOW_RATE);
        assertThat(MachineDrift.between(reached, missed).factors()).isEmpty();
    }

    @Test
    void theDriftOfTheMachineIsThatOfLatenciesAtOneRate() {
        CellResult closed = Results.cell(Contender.NO_INDEX, 1, "p50_us", 100, 100, 100);
        CellResult paced = Results.cell(Contender.NO_INDEX, 70, "p50_us", 100, 100, 100);
        CellResult slower = Results.cell(Contender.NO_INDEX, 70, "p50_us", 900, 900, 900);
        RecordedRun before = run(experiment("update-rate", closed, atRate(1_000, paced)));
        MachineDrift otherRate =
                MachineDrift.between(before, run(experiment("update-rate", closed, atRate(3_000, slower))));
        MachineDrift sameRate =
                MachineDrift.between(before, run(experiment("update-rate", closed, atRate(1_000, slower))));
        assertThat(otherRate.range()).isEqualTo(new Interval(1, 1));
        assertThat(sameRate.range()).isEqualTo(new Interval(1, 9));
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
        RecordedRun run = update(ComparedValue.P50, AROUND_ONE);
        assertThat(shareChangedByChance(0.1, 0.1))
                .isCloseTo(Comparison.of(run, run).expectedByChance(), within(0.002));
        assertThat(shareChangedByChance(0.1, 0.5))
                .as("if the rounds of one run spread five times as much")
                .isBetween(0.015, 0.03);
    }

    private static double shareChangedByChance(double spreadOfA, double spreadOfB) {
        Random random = new Random(1);
        int figures = 5_000;
        long changed = 0;
        for (int i = 0; i < figures; i++) {
            changed +=
                    verdict(noise(random, spreadOfA), noise(random, spreadOfB)).isChange() ? 1 : 0;
        }
        return (double) changed / figures;
    }

    private static RecordedRun noise(Random random, double spread) {
        double[] ratios = new double[5];
        Arrays.setAll(ratios, i -> Math.exp(spread * random.nextGaussian()));
        return update(ComparedValue.P50, ratios);
    }

    /** For example, the index differs from its table after the recovery. */
    @Test
    void anExperimentThatFailedInTheSecondRunOnlyIsWorse() {
        RecordedExperiment batch =
                update(ComparedValue.P50, AROUND_ONE).experiments().get(0);
        RecordedExperiment completed = experiment("recovery", Results.cell(Results.ASYNC, 1, "drained_s", AROUND_ONE));
        RecordedExperiment failed = new RecordedExperiment("recovery", Optional.of("no server"), List.of());
        assertThat(Comparison.of(run(completed, batch), run(failed, batch)).hasWorse())
                .isTrue();
        assertThat(Comparison.of(run(failed, batch), run(failed, batch)).hasWorse())
                .isFalse();
        assertThat(Comparison.of(run(failed, batch), run(completed, batch)).hasWorse())
                .isFalse();
        assertThat(Comparison.of(run(batch), run(failed, batch)).hasWorse())
                .as("not run before")
                .isFalse();
        assertThat(Comparison.of(run(completed), run(failed)).isEmpty())
                .as("while nothing else is compared")
                .isFalse();
    }

    @Test
    void figuresOfAnExperimentThatFailedAreNotCompared() {
        RecordedRun before = update(ComparedValue.P50, AROUND_ONE);
        RecordedRun slower = update(ComparedValue.P50, times(2, AROUND_ONE));
        assertThat(verdict(before, slower)).isEqualTo(Verdict.WORSE);
        assertThat(verdict(failed(before), failed(slower))).isEqualTo(Verdict.EXPERIMENT_FAILED);
        assertThat(verdict(failed(before), slower)).isEqualTo(Verdict.EXPERIMENT_FAILED);
        assertThat(verdict(before, failed(slower))).isEqualTo(Verdict.EXPERIMENT_FAILED);
        assertThat(Comparison.of(failed(before), failed(slower)).isEmpty()).isTrue();
        assertThat(verdict(failed(before), failed(update(ComparedValue.P50, 1, 1))))
                .as("figures without an interval")
                .isEqualTo(Verdict.NOT_JUDGED);
    }

    private static RecordedRun failed(RecordedRun run) {
        return run(run.experiments().stream()
                .map(each -> new RecordedExperiment(each.name(), Optional.of("no server"), each.cells()))
                .toArray(RecordedExperiment[]::new));
    }

    /** An experiment fails, for example, because a server has died meanwhile. */
    @Test
    void latenciesOfAnExperimentThatFailedSayNothingOfTheMachine() {
        RecordedRun before = run(noIndex(100), staleCell(ComparedValue.STALENESS_P50, AROUND_ONE));
        RecordedExperiment failed = new RecordedExperiment(
                "read", Optional.of("no server"), noIndex(300).cells());
        RecordedRun worse = run(failed, staleCell(ComparedValue.STALENESS_P50, times(2, AROUND_ONE)));
        assertThat(verdict(before, worse)).isEqualTo(Verdict.WORSE);
    }

    /** The servers have the WAL codec of the other system, which all contenders use. */
    @Test
    void absoluteFiguresAreNotComparedWithThoseOfARunBesideAnotherSystem() {
        Map<String, String> rival = Map.of("against", "phoenix");
        RecordedExperiment cell = staleCell(ComparedValue.STALENESS_P50, AROUND_ONE);
        RecordedExperiment slower = staleCell(ComparedValue.STALENESS_P50, times(2, AROUND_ONE));
        assertThat(verdict(run(cell), run(rival, slower))).isEqualTo(Verdict.DIFFERENT_RIVALS);
        assertThat(verdict(run(rival, cell), run(slower))).isEqualTo(Verdict.DIFFERENT_RIVALS);
        assertThat(verdict(run(rival, cell), run(Map.of("against", "another"), slower)))
                .isEqualTo(Verdict.DIFFERENT_RIVALS);
        assertThat(verdict(run(rival, cell), run(rival, slower))).isEqualTo(Verdict.WORSE);
        RecordedExperiment ratio =
                update(ComparedValue.P50, times(2, AROUND_ONE)).experiments().get(0);
        assertThat(verdict(update(ComparedValue.P50, AROUND_ONE), run(rival, ratio)))
                .as("a ratio within a run")
                .isEqualTo(Verdict.WORSE);
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
    void isNotEmptyIfAGoalCouldBeCompared() {
        assertThat(Comparison.of(goal(true), goal(false)).isEmpty()).isFalse();
        assertThat(Comparison.of(goal(true), goal(true)).isEmpty()).isFalse();
        assertThat(Comparison.of(goal(true), run()).isEmpty()).isTrue();
        assertThat(Comparison.of(update(ComparedValue.P50, AROUND_ONE), update(ComparedValue.P50, AROUND_ONE))
                        .isEmpty())
                .isFalse();
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
        assertThat(comparison.goals()).hasSizeGreaterThan(20).noneMatch(goal -> goal.verdict()
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
                    assertThat(change.factor().orElseThrow()).isCloseTo(3, within(1e-9));
                });
    }
}
