package org.diffindex.lab.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.diffindex.lab.bench.Goal.Bound;
import org.diffindex.model.IndexScheme;

/**
 * The goals, and what a run says of them. All but two are ratios inside one run: of the same round, so that a drift of the
 * machine cancels out. A goal counts as met, or as missed, only if the rounds leave no doubt ({@link Interval}).
 */
final class Goals {
    private static final Contender SYNC_FULL = Contender.of(IndexScheme.SYNC_FULL);
    private static final Contender SYNC_INSERT = Contender.of(IndexScheme.SYNC_INSERT);
    private static final Contender ASYNC = Contender.of(IndexScheme.ASYNC_SIMPLE);

    private final List<ExperimentResult> results;

    private Goals(List<ExperimentResult> results) {
        this.results = List.copyOf(results);
    }

    /** All goals, also those that nothing was measured for. */
    static List<Goal> of(List<ExperimentResult> results) {
        return new Goals(results).all();
    }

    private List<Goal> all() {
        List<Goal> goals = new ArrayList<>();
        goals.add(put(SYNC_INSERT, "sync-insert", 1.3).beside(plain(PlainWork.PUT_WITH_ENTRY, 1, Measurement.P50)));
        goals.add(put(SYNC_FULL, "sync-full", 1.8).beside(plain(PlainWork.PUT_THEN_ENTRIES, 1, Measurement.P50)));
        goals.add(put(ASYNC, "async", 1.05).beside(plain(PlainWork.PUT_ENTRIES_LATER, 1, Measurement.P50)));
        goals.add(throughput(SYNC_INSERT, "sync-insert", 0.75)
                .beside(plain(PlainWork.PUT_WITH_ENTRY, 8, Measurement.PER_SECOND)));
        goals.add(throughput(SYNC_FULL, "sync-full", 0.55)
                .beside(plain(PlainWork.PUT_THEN_ENTRIES, 8, Measurement.PER_SECOND)));
        goals.add(throughput(ASYNC, "async (drained)", 0.75)
                .beside(plain(PlainWork.PUT_ENTRIES_LATER, 8, Measurement.PER_SECOND)));
        goals.add(ratio(
                        "1,000-row batches, sync-full / no index, time",
                        1.6,
                        "batch",
                        Measurement.P50,
                        BatchExperiment.BATCH,
                        SYNC_FULL)
                .beside(plain(PlainWork.READS_BATCH_ENTRIES, 1, Measurement.P50)));
        goals.add(ratio(
                "getByIndex of one row p50, sync-full / Get of the same cell",
                1.3,
                "read",
                Measurement.P50,
                1,
                SYNC_FULL));
        goals.add(ratio(
                        "getByIndex of one row p50, sync-insert / Get of the same cell",
                        2.3,
                        "read",
                        Measurement.P50,
                        1,
                        SYNC_INSERT)
                .beside(plain(PlainWork.GET_THEN_GET, 1, Measurement.P50)));
        goals.add(range(
                "range of 40,000 entries, sync-full / plain scan of as many index rows, time",
                1.2,
                SYNC_FULL,
                Contender.NO_INDEX));
        goals.add(range("range of 40,000 entries, sync-insert / sync-full, time", 3, SYNC_INSERT, SYNC_FULL));
        goals.add(staleness());
        goals.add(scan());
        goals.add(Goal.of(
                "heap taken by a full AUQ / its bound",
                Bound.atMost(1.1),
                "",
                cell("heap", cell -> true).flatMap(cell -> cell.spread(HeapExperiment.RATIO))));
        return goals;
    }

    private Goal put(Contender contender, String name, double most) {
        return ratio("put p50, 1 client, " + name + " / no index", most, "update", Measurement.P50, 1, contender);
    }

    private Goal throughput(Contender contender, String name, double least) {
        return Goal.of(
                "puts/s, 8 clients, " + name + " / no index",
                Bound.atLeast(least),
                "",
                ratio("update", Measurement.PER_SECOND, 8, contender, Contender.NO_INDEX));
    }

    private Goal ratio(
            String figure, double most, String experiment, String value, double amount, Contender contender) {
        return Goal.of(figure, Bound.atMost(most), "", ratio(experiment, value, amount, contender, Contender.NO_INDEX));
    }

    /** What plain calls in place of the index come to, as a ratio to no index in the same rounds. */
    private Optional<Goal.Plain> plain(PlainWork work, int clients, String value) {
        return cell("plain", work.cell(clients)::equals)
                .flatMap(plain -> cell("plain", work.withoutIndex().cell(clients)::equals)
                        .flatMap(put -> perRound(plain, put, value)))
                .map(ratio -> new Goal.Plain(work.label(), ratio));
    }

    /** Of the largest range that was read; with fewer entries than the goal speaks of, it cannot be said to be met or not. */
    private Goal range(String figure, double most, Contender one, Contender other) {
        double entries = largest("range");
        Goal goal = Goal.of(figure, Bound.atMost(most), "", ratio("range", Measurement.P50, entries, one, other));
        return goal.measured().isEmpty() || entries == RangeExperiment.MOST_ENTRIES
                ? goal
                : goal.judged(Optional.empty(), "measured with " + Numbers.plain(entries) + " entries");
    }

    /** At a lower rate than was asked for an index is less behind, so that a goal missed is missed all the more. */
    private Goal staleness() {
        Optional<CellResult> cell = cell("staleness", ASYNC, StalenessExperiment.GOAL_PERCENT);
        Goal goal = Goal.of(
                "staleness p99, async, at 70% of the highest rate",
                Bound.atMost(50), "ms", cell.flatMap(each -> each.spread(StalenessExperiment.P99)));
        return cell.stream()
                .flatMap(each -> each.rounds().stream())
                .filter(round -> !round.isAtItsRate())
                .findFirst()
                .map(slow -> goal.judged(
                        goal.met().filter(met -> !met),
                        "a round had only "
                                + Numbers.plain(
                                        slow.value(Measurement.PER_SECOND).orElse(0)) + " of "
                                + Numbers.plain(slow.value(Measurement.TARGET).orElse(0)) + " updates a second"))
                .orElse(goal);
    }

    /** Of as many rows as there were: a smaller table makes the full scan quicker, so that a goal met is met all the more. */
    private Goal scan() {
        double rows = largest("scan");
        Optional<Spread> measured = cell(
                        "scan", cell -> cell.contender().scheme().isPresent())
                .flatMap(index ->
                        cell("scan", Contender.NO_INDEX, rows).flatMap(scan -> perRound(scan, index, Measurement.P50)));
        Goal goal = Goal.of(
                "query by index / full scan, 1,000,000 rows, one hit", Bound.atLeast(1_000), "times faster", measured);
        return measured.isEmpty() || rows >= ScanExperiment.GOAL_ROWS
                ? goal
                : goal.judged(goal.met().filter(met -> met), "measured with " + Numbers.plain(rows) + " rows");
    }

    private double largest(String experiment) {
        return results.stream()
                .filter(result -> result.experiment().name().equals(experiment))
                .flatMap(result -> result.cells().stream())
                .mapToDouble(cell -> cell.cell().amount())
                .max()
                .orElse(0);
    }

    private Optional<Spread> ratio(String experiment, String value, double amount, Contender one, Contender other) {
        BiFunction<CellResult, CellResult, Optional<Spread>> perRound = (a, b) -> perRound(a, b, value);
        return cell(experiment, one, amount)
                .flatMap(a -> cell(experiment, other, amount).flatMap(b -> perRound.apply(a, b)));
    }

    /** The ratios of a value, round by round; empty if no round has both. */
    static Optional<Spread> perRound(CellResult one, CellResult other, String value) {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < Math.min(one.rounds().size(), other.rounds().size()); round++) {
            var above = one.rounds().get(round).value(value);
            var below = other.rounds().get(round).value(value);
            if (above.isPresent() && below.isPresent() && below.getAsDouble() > 0) {
                ratios.add(above.getAsDouble() / below.getAsDouble());
            }
        }
        return ratios.isEmpty() ? Optional.empty() : Optional.of(Spread.of(ratios));
    }

    private Optional<CellResult> cell(String experiment, Contender contender, double amount) {
        return cell(experiment, cell -> cell.contender().equals(contender) && cell.amount() == amount);
    }

    private Optional<CellResult> cell(String experiment, Predicate<Cell> which) {
        return results.stream()
                .filter(result -> result.experiment().name().equals(experiment))
                .flatMap(result -> result.cell(which).stream())
                .findFirst();
    }
}
