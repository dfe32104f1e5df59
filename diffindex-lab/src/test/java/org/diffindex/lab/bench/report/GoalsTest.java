package org.diffindex.lab.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.lab.bench.experiments.Results.ASYNC;
import static org.diffindex.lab.bench.experiments.Results.FULL;
import static org.diffindex.lab.bench.experiments.Results.INSERT;
import static org.diffindex.lab.bench.experiments.Results.cell;
import static org.diffindex.lab.bench.experiments.Results.measured;
import static org.diffindex.lab.bench.experiments.Results.result;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.diffindex.lab.bench.experiments.Bench;
import org.diffindex.lab.bench.experiments.BenchOptions;
import org.diffindex.lab.bench.experiments.Experiments;
import org.diffindex.lab.bench.experiments.GoalLoads;
import org.diffindex.lab.bench.experiments.PlainWork;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Spread;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GoalsTest {
    private static Goal goal(String figure, ExperimentResult... results) {
        return Goals.of(List.of(results)).stream()
                .filter(goal -> goal.figure().startsWith(figure))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void definesEveryGoalWithItsBound() {
        assertThat(Goals.of(List.of()))
                .extracting(goal -> goal.figure() + ": " + goal.goalText())
                .containsExactly(
                        "put p50, 1 client, sync-insert / no index: at most 1.3",
                        "put p50, 1 client, sync-full / no index: at most 1.8",
                        "put p50, 1 client, async / no index: at most 1.05",
                        "puts/s, 8 clients, sync-insert / no index: at least 0.75",
                        "puts/s, 8 clients, sync-full / no index: at least 0.55",
                        "puts/s, 8 clients, async (drained) / no index: at least 0.75",
                        "puts/s, 8 clients, sync-insert / put with entry: at least 0.85",
                        "puts/s, 8 clients, sync-full / put, then 2 entries: at least 0.9",
                        "puts/s, 8 clients, async (drained) / put, entries later: at least 0.9",
                        "1,000-row batches, sync-full / no index, time: at most 1.6",
                        "1,000-row batches, sync-insert / no index, time: at most 1.3",
                        "put p50, 1 client, sync-full, 4 indexes / 1 index: at most 1.2",
                        "getByIndex of one row p50, sync-full / Get of the same cell: at most 1.3",
                        "getByIndex of one row p50, sync-insert / Get of the same cell: at most 2.3",
                        "getByIndex of one row p50, sync-insert just after ten updates / Get of the same cell: at most 2",
                        "getByIndex of one row p50, sync-insert after ten updates, cleaned up / Get of the same cell: at most 2",
                        "range of 40,000 entries, sync-full / plain scan of as many index rows, time: at most 1.2",
                        "range of 40,000 entries, sync-insert / sync-full, time: at most 1.7",
                        "staleness p99, async, at 70% of the highest rate: at most 40 ms",
                        "query by index / full scan, 1,000,000 rows, one hit: at least 1,000 times faster",
                        "rows/s of createIndex / a client that scans and puts: at least 3 times",
                        "heap taken by a full AUQ / its bound: at most 1.1");
    }

    @Test
    void aGoalThatWasNotMeasuredIsNeitherMetNorMissed() {
        assertThat(Goals.of(List.of())).allSatisfy(goal -> {
            assertThat(goal.measured()).isEmpty();
            assertThat(goal.met()).isEmpty();
        });
        assertThat(goal("puts/s, 8 clients, sync-full", result("update", cell(FULL, 8, "per_second", 100, 100, 100)))
                        .measured())
                .as("ratio without a figure of the table without an index")
                .isEmpty();
    }

    @Test
    void aGoalThatDependsOnAnExperimentThatFailedIsUndecided() {
        ExperimentResult read = result(
                "read", cell(Contender.NO_INDEX, 1, "p50_us", 100, 100, 100), cell(FULL, 1, "p50_us", 110, 111, 112));
        ExperimentResult update = result(
                "update",
                cell(Contender.NO_INDEX, 8, "per_second", 1_000, 1_000, 1_000),
                cell(INSERT, 8, "per_second", 900, 900, 900));
        ExperimentResult plain = result(
                "plain",
                measured(PlainWork.PUT.cell(8), "per_second", 1_000, 1_000, 1_000),
                measured(PlainWork.PUT_WITH_ENTRY.cell(8), "per_second", 900, 900, 900));
        String ofRead = "getByIndex of one row p50, sync-full";
        String ofBoth = "puts/s, 8 clients, sync-insert / put with entry";
        assertThat(goal(ofRead, read, failed(plain)).met()).contains(true);
        assertThat(goal(ofBoth, update, plain).met()).contains(true);
        for (Goal open : List.of(
                goal(ofRead, failed(read)), goal(ofBoth, update, failed(plain)), goal(ofBoth, failed(update), plain))) {
            assertThat(open.measured()).isPresent();
            assertThat(open.met()).as(open.figure()).isEmpty();
            assertThat(open.note()).contains("the experiment failed");
        }
        assertThat(goal("puts/s, 8 clients, sync-insert / no index", update, failed(plain))
                        .met())
                .as("a goal beside the figure of plain calls, on which it does not depend")
                .contains(true);
    }

    private static ExperimentResult failed(ExperimentResult result) {
        return new ExperimentResult(
                result.experiment(), result.cells(), Optional.of("The index returned another row than its title's"));
    }

    /** A goal whose experiment measures other loads, or names a value otherwise, would silently have no figure. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRunOfAllExperimentsMeasuresEveryGoalAndThePlainCalls(boolean quick) {
        Measurement round = Measurement.empty()
                .with(Measurement.P50, 100)
                .with(Measurement.PER_SECOND, 100)
                .with(Measurement.STALENESS_P99, 10)
                .with(Measurement.HEAP_RATIO, 1);
        BenchOptions options = Results.options(GoalLoads.SCANNED_ROWS, List.of(), quick);
        List<ExperimentResult> results = Experiments.of(new Bench(null, null, options, null)).stream()
                .map(experiment -> new ExperimentResult(
                        experiment.description(),
                        experiment.cells().stream()
                                .map(cell -> new CellResult(cell, List.of(round, round, round)))
                                .toList(),
                        Optional.empty()))
                .toList();
        List<Goal> goals = Goals.of(results);
        assertThat(goals)
                .allSatisfy(
                        goal -> assertThat(goal.measured()).as(goal.figure()).isPresent());
        assertThat(goals).filteredOn(goal -> goal.plain().isPresent()).hasSize(8);
        assertThat(goals)
                .allSatisfy(goal -> assertThat(goal.note()).as(goal.figure()).isEmpty());
    }

    /**
     * The machine takes twice as long in each round: ratios of medians happen to be right here, those of the same round
     * always are.
     */
    @Test
    void takesRatiosWithinARound() {
        ExperimentResult update = result(
                "update",
                cell(Contender.NO_INDEX, 1, "p50_us", 100, 200, 400),
                cell(INSERT, 1, "p50_us", 120, 260, 560),
                cell(FULL, 1, "p50_us", 190, 360, 720));
        Goal insert = goal("put p50, 1 client, sync-insert", update);
        assertThat(insert.measured()).contains(Spread.of(List.of(1.2, 1.3, 1.4)));
        Goal full = goal("put p50, 1 client, sync-full", update);
        assertThat(full.measured().orElseThrow().median()).isEqualTo(1.8);
    }

    /** Each open goal has the median of a decided one. */
    @Test
    void aGoalIsMetOrMissedOnlyIfTheRoundsLeaveNoDoubt() {
        Goal met = insertAt(120, 121, 122);
        assertThat(met.met()).contains(true);
        assertThat(met.note()).isEmpty();
        assertThat(insertAt(138, 139, 140).met()).contains(false);

        for (Goal open : List.of(insertAt(110, 121, 150), insertAt(110, 139, 150))) {
            assertThat(open.met()).isEmpty();
            assertThat(open.metText()).isEqualTo("-");
            assertThat(open.note().orElseThrow()).startsWith("undecided: between ");
        }
        assertThat(insertAt(121).met()).isEmpty();
        assertThat(insertAt(121, 121).note()).contains("fewer than 3 rounds");
    }

    private static Goal insertAt(double... micros) {
        double[] without = new double[micros.length];
        Arrays.fill(without, 100);
        return goal(
                "put p50, 1 client, sync-insert",
                result("update", cell(Contender.NO_INDEX, 1, "p50_us", without), cell(INSERT, 1, "p50_us", micros)));
    }

    @Test
    void reportsPlainCallsOfTheSameRoundsBesideAGoalWithoutAVerdict() {
        ExperimentResult plain = result(
                "plain",
                measured(PlainWork.PUT.cell(1), "p50_us", 100, 200, 100),
                measured(PlainWork.PUT_WITH_ENTRY.cell(1), "p50_us", 150, 280, 145),
                measured(PlainWork.PUT.cell(8), "per_second", 4_000, 4_000, 4_000),
                measured(PlainWork.PUT_THEN_ENTRIES.cell(8), "per_second", 2_400, 2_400, 2_400),
                measured(PlainWork.PUT_ENTRIES_LATER.cell(8), "per_second", 3_200, 3_200, 3_200),
                measured(PlainWork.GET.cell(1), "p50_us", 50, 50, 50),
                measured(PlainWork.GET_THEN_GET.cell(1), "p50_us", 90, 90, 90));
        Goal insert = goal("put p50, 1 client, sync-insert", plain);
        assertThat(insert.measured())
                .as("figure of the index, which plain calls do not provide")
                .isEmpty();
        assertThat(insert.plain().orElseThrow().measured()).isEqualTo(Spread.of(List.of(1.5, 1.4, 1.45)));
        assertThat(insert.plainText()).isEqualTo("put with entry: 1.45 (1.4 to 1.5)");
        assertThat(goal("puts/s, 8 clients, sync-full", plain).plainText()).isEqualTo("put, then 2 entries: 0.6");
        assertThat(goal("getByIndex of one row p50, sync-insert", plain).plainText())
                .isEqualTo("Get, then Get: 1.8");
        assertThat(goal("puts/s, 8 clients, sync-insert", plain).plain())
                .as("not measured")
                .isEmpty();
        assertThat(goal("puts/s, 8 clients, async", plain).plainText()).isEqualTo("put, entries later: 0.8");
        assertThat(goal("staleness p99", plain).plainText()).isEmpty();
    }

    /** The two experiments ran at different times, and the machine was twice as fast in the second. */
    @Test
    void throughputIsComparedWithThatOfPlainCallsAsAShareOfNoIndex() {
        ExperimentResult update = result(
                "update",
                cell(Contender.NO_INDEX, 8, "per_second", 1_000, 1_000, 2_000),
                cell(INSERT, 8, "per_second", 540, 530, 1_100));
        ExperimentResult plain = result(
                "plain",
                measured(PlainWork.PUT.cell(8), "per_second", 2_000, 2_000, 2_000),
                measured(PlainWork.PUT_WITH_ENTRY.cell(8), "per_second", 1_200, 1_200, 1_200));
        Goal goal = goal("puts/s, 8 clients, sync-insert / put with entry", update, plain);
        assertThat(goal.measured()).contains(Spread.of(List.of(0.54 / 0.6, 0.53 / 0.6, 0.55 / 0.6)));
        assertThat(goal.met()).contains(true);
        assertThat(goal("puts/s, 8 clients, sync-insert / put with entry", update)
                        .measured())
                .as("without plain calls")
                .isEmpty();
        assertThat(goal("puts/s, 8 clients, sync-full / put, then", update, plain)
                        .measured())
                .as("without the scheme")
                .isEmpty();
    }

    @Test
    void severalIndexesAreComparedWithOne() {
        ExperimentResult indexes = result(
                "indexes",
                cell(Contender.NO_INDEX, 0, "p50_us", 100, 100, 100),
                cell(FULL, 1, "p50_us", 300, 300, 300),
                cell(FULL, 2, "p50_us", 500, 500, 500),
                cell(FULL, 4, "p50_us", 330, 330, 330));
        Goal goal = goal("put p50, 1 client, sync-full, 4 indexes", indexes);
        assertThat(goal.measuredText()).isEqualTo("1.1");
        assertThat(goal.met()).contains(true);
    }

    @Test
    void aBackfillIsComparedWithAClient() {
        ExperimentResult backfill = result(
                "backfill",
                cell(Contender.NO_INDEX, 200_000, "per_second", 20_000, 20_000, 20_000),
                cell(ASYNC, 200_000, "per_second", 50_000, 50_000, 50_000));
        Goal goal = goal("rows/s of createIndex", backfill);
        assertThat(goal.measuredText()).isEqualTo("2.5 times");
        assertThat(goal.met()).contains(false);
    }

    @Test
    void throughputMustBeAtLeastTheGoal() {
        ExperimentResult update = result(
                "update",
                cell(Contender.NO_INDEX, 8, "per_second", 4_000, 4_000, 4_000),
                cell(ASYNC, 8, "per_second", 2_999, 2_999, 2_999));
        assertThat(goal("puts/s, 8 clients, async", update).met()).contains(false);
        update = result(
                "update",
                cell(Contender.NO_INDEX, 8, "per_second", 4_000, 4_000, 4_000),
                cell(ASYNC, 8, "per_second", 3_000, 3_000, 3_000));
        assertThat(goal("puts/s, 8 clients, async", update).met()).contains(true);
    }

    @Test
    void aGoalThatIsJustReachedIsMet() {
        Goal most = insertAt(130, 130, 130);
        assertThat(most.met()).contains(true);
        assertThat(most.metText()).isEqualTo("met");
        Goal missed = insertAt(131, 131, 131);
        assertThat(missed.met()).contains(false);
        assertThat(missed.metText()).isEqualTo("not met");
    }

    @Test
    void otherExperimentsDoNotAffectAGoal() {
        ExperimentResult read = result(
                "read", cell(Contender.NO_INDEX, 1, "p50_us", 100, 100, 100), cell(FULL, 1, "p50_us", 120, 120, 120));
        ExperimentResult update = result(
                "update", cell(Contender.NO_INDEX, 1, "p50_us", 100, 100, 100), cell(FULL, 1, "p50_us", 170, 170, 170));
        Spread ofRead = Spread.of(List.of(1.2, 1.2, 1.2));
        Spread ofUpdate = Spread.of(List.of(1.7, 1.7, 1.7));
        for (List<ExperimentResult> results : List.of(List.of(read, update), List.of(update, read))) {
            ExperimentResult[] both = results.toArray(new ExperimentResult[0]);
            assertThat(goal("put p50, 1 client, sync-full", both).measured()).contains(ofUpdate);
            assertThat(goal("getByIndex of one row p50, sync-full", both).measured())
                    .contains(ofRead);
        }
        ExperimentResult scan = result("scan", cell(FULL, 1e6, "p50_us", 1, 1, 1));
        ExperimentResult range = result(
                "range",
                cell(Contender.NO_INDEX, 40_000, "p50_us", 100, 100, 100),
                cell(FULL, 40_000, "p50_us", 110, 110, 110));
        assertThat(goal("range of 40,000 entries, sync-full", scan, range).met())
                .as("whatever the number of rows of the scan")
                .contains(true);
    }

    @Test
    void theHeapOfAFullQueueIsJudgedByItsBound() {
        ExperimentResult heap = result("heap", cell(ASYNC, 1, Measurement.HEAP_RATIO, 1.05, 1.05, 1.05));
        Goal goal = goal("heap taken by a full AUQ", heap);
        assertThat(goal.measuredText()).isEqualTo("1.05");
        assertThat(goal.met()).contains(true);
    }

    @Test
    void aRoundWithoutOperationsHasNoRatio() {
        ExperimentResult update = result(
                "update",
                cell(Contender.NO_INDEX, 8, "per_second", 0, 4_000, 4_000),
                cell(FULL, 8, "per_second", 2_000, 2_000, 2_400));
        assertThat(goal("puts/s, 8 clients, sync-full", update).measured()).contains(Spread.of(List.of(0.5, 0.6)));
    }

    @Test
    void otherLoadsDoNotAffectAGoal() {
        ExperimentResult update = result(
                "update",
                cell(Contender.NO_INDEX, 32, "p50_us", 100, 100, 100),
                cell(FULL, 32, "p50_us", 100, 100, 100));
        assertThat(goal("put p50, 1 client, sync-full", update).measured()).isEmpty();
    }

    @Test
    void aSmallerRangeIsMeasuredButNotJudged() {
        ExperimentResult small = result(
                "range",
                cell(Contender.NO_INDEX, 2_000, "p50_us", 100, 100, 100),
                cell(FULL, 2_000, "p50_us", 110, 110, 110));
        Goal goal = goal("range of 40,000 entries, sync-full", small);
        assertThat(goal.measured()).isPresent();
        assertThat(goal.met()).isEmpty();
        assertThat(goal.note()).contains("measured with 2,000 entries");
        ExperimentResult large = result(
                "range",
                cell(Contender.NO_INDEX, 4_000, "p50_us", 1, 1, 1),
                cell(Contender.NO_INDEX, 40_000, "p50_us", 100, 100, 100),
                cell(FULL, 40_000, "p50_us", 110, 110, 110));
        assertThat(goal("range of 40,000 entries, sync-full", large).met()).contains(true);
    }

    @Test
    void aSmallerTableCanMeetTheGoalOfTheFullScanButNotMissIt() {
        Goal met = goal(
                "query by index",
                result(
                        "scan",
                        cell(Contender.NO_INDEX, 40_000, "p50_us", 500_000, 500_000, 500_000),
                        cell(FULL, 40_000, "p50_us", 500, 500, 500)));
        assertThat(met.met()).contains(true);
        Goal open = goal(
                "query by index",
                result(
                        "scan",
                        cell(Contender.NO_INDEX, 40_000, "p50_us", 50_000, 50_000, 50_000),
                        cell(FULL, 40_000, "p50_us", 500, 500, 500)));
        assertThat(open.measured().orElseThrow().median()).isEqualTo(100);
        assertThat(open.met()).isEmpty();
        Goal missed = goal(
                "query by index",
                result(
                        "scan",
                        cell(Contender.NO_INDEX, 1e6, "p50_us", 50_000, 50_000, 50_000),
                        cell(FULL, 1e6, "p50_us", 500, 500, 500)));
        assertThat(missed.met()).contains(false);
    }

    @Test
    void judgesStalenessAtSeventyPercent() {
        ExperimentResult staleness = result(
                "staleness",
                cell(ASYNC, 30, Measurement.STALENESS_P99, 5),
                cell(ASYNC, 70, Measurement.STALENESS_P99, 60, 40, 45),
                cell(ASYNC, 90, Measurement.STALENESS_P99, 500));
        Goal goal = goal("staleness", staleness);
        assertThat(goal.measured()).contains(Spread.of(List.of(60.0, 40.0, 45.0)));
        assertThat(goal.met())
                .as("verdict, with a round of 60 ms above the goal")
                .isEmpty();
        assertThat(goal.measuredText()).isEqualTo("45 (40 to 60) ms");
    }

    /** An index with fewer updates is less behind. */
    @Test
    void stalenessAtALowerRateThanRequestedMeetsNoGoal() {
        assertThat(stalenessAt(100, 99, 0, 10).met()).contains(true);
        Goal slow = stalenessAt(100, 60, 0, 10);
        assertThat(slow.met()).isEmpty();
        assertThat(slow.note()).hasValueSatisfying(note -> assertThat(note).contains("60 of 100 updates a second"));
        assertThat(stalenessAt(100, 99, 5, 10).met()).isEmpty();
        assertThat(stalenessAt(100, 60, 5, 80).met())
                .as("verdict, since staleness would be higher at the full rate")
                .contains(false);
    }

    private static Goal stalenessAt(double asked, double reached, double notStarted, double millis) {
        Measurement round = Measurement.empty()
                .with(Measurement.STALENESS_P99, millis)
                .with(Measurement.TARGET, asked)
                .with(Measurement.NOT_STARTED, 0)
                .with(Measurement.PER_SECOND, asked);
        Measurement last = round.with(Measurement.NOT_STARTED, notStarted).with(Measurement.PER_SECOND, reached);
        return goal(
                "staleness",
                result("staleness", new CellResult(new BenchCell(ASYNC, "70%", 70), List.of(round, round, last))));
    }
}
