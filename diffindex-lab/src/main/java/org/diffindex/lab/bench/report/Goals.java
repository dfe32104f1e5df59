package org.diffindex.lab.bench.report;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.diffindex.lab.bench.experiments.GoalLoads;
import org.diffindex.lab.bench.experiments.PlainWork;
import org.diffindex.lab.bench.report.Goal.Bound;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Interval;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.RunResults;
import org.diffindex.lab.bench.statistics.Spread;
import org.diffindex.lab.output.ReadableText;
import org.diffindex.model.IndexScheme;

/**
 * Judges the goals by the results of a run. All but two are ratios within the same round, so that a drift of the
 * machine cancels out. A goal is met or missed only if the whole confidence interval is on one side of its bound
 * ({@link Interval}), and no experiment that it depends on has failed.
 */
final class Goals {
    private static final Contender SYNC_FULL = Contender.of(IndexScheme.SYNC_FULL);
    private static final Contender SYNC_INSERT = Contender.of(IndexScheme.SYNC_INSERT);
    private static final Contender ASYNC = Contender.of(IndexScheme.ASYNC_SIMPLE);

    private static final String FIGURE_OF_ONE_ROW = "getByIndex of one row p50, %s / Get of the same cell";

    private final RunResults results;

    private Goals(RunResults results) {
        this.results = results;
    }

    /** Returns all goals, including those without a figure. */
    static List<Goal> of(List<ExperimentResult> results) {
        return Goal.of(new RunResults(results), run -> new Goals(run).all());
    }

    private List<Goal> all() {
        return Stream.of(latencies(), throughputs(), severalWrites(), readsOfOneRow(), others())
                .flatMap(List::stream)
                .toList();
    }

    private List<Goal> latencies() {
        return List.of(
                put(SYNC_INSERT, "sync-insert", 1.3).beside(plain(PlainWork.PUT_WITH_ENTRY, 1, Measurement.P50)),
                put(SYNC_FULL, "sync-full", 1.8).beside(plain(PlainWork.PUT_THEN_ENTRIES, 1, Measurement.P50)),
                put(ASYNC, "async", 1.05).beside(plain(PlainWork.PUT_ENTRIES_LATER, 1, Measurement.P50)));
    }

    private List<Goal> throughputs() {
        return List.of(
                throughput(SYNC_INSERT, "sync-insert", 0.75)
                        .beside(plain(PlainWork.PUT_WITH_ENTRY, 8, Measurement.PER_SECOND)),
                throughput(SYNC_FULL, "sync-full", 0.55)
                        .beside(plain(PlainWork.PUT_THEN_ENTRIES, 8, Measurement.PER_SECOND)),
                throughput(ASYNC, "async (drained)", 0.75)
                        .beside(plain(PlainWork.PUT_ENTRIES_LATER, 8, Measurement.PER_SECOND)),
                shareOfPlain(SYNC_INSERT, "sync-insert", PlainWork.PUT_WITH_ENTRY, 0.85),
                shareOfPlain(SYNC_FULL, "sync-full", PlainWork.PUT_THEN_ENTRIES, 0.9),
                shareOfPlain(ASYNC, "async (drained)", PlainWork.PUT_ENTRIES_LATER, 0.9));
    }

    /** Returns those of batches, and of tables with several indexes. */
    private List<Goal> severalWrites() {
        Goal full = batch("1,000-row batches, sync-full / no index, time", 1.6, SYNC_FULL);
        Optional<CellResult> oneIndex = results.cell("indexes", SYNC_FULL, 1);
        Optional<Spread> several = results.cell("indexes", SYNC_FULL, GoalLoads.SEVERAL_INDEXES)
                .flatMap(cell -> oneIndex.flatMap(one -> cell.ratioTo(one, Measurement.P50)));
        return List.of(
                full.beside(plain(PlainWork.READS_BATCH_ENTRIES, 1, Measurement.P50)),
                batch("1,000-row batches, sync-insert / no index, time", 1.3, SYNC_INSERT),
                Goal.of("put p50, 1 client, sync-full, 4 indexes / 1 index", Bound.atMost(1.2), "", several));
    }

    private Goal batch(String figure, double most, Contender contender) {
        return ratio(figure, most, "batch", Measurement.P50, GoalLoads.BATCH_ROWS, contender);
    }

    private List<Goal> readsOfOneRow() {
        Goal insert = read("sync-insert", 2.3, "read", 1, SYNC_INSERT);
        return List.of(
                read("sync-full", 1.3, "read", 1, SYNC_FULL),
                insert.beside(plain(PlainWork.GET_THEN_GET, 1, Measurement.P50)),
                rewritten("sync-insert just after ten updates", GoalLoads.AT_ONCE),
                rewritten("sync-insert after ten updates, cleaned up", GoalLoads.CLEANED_UP));
    }

    private Goal rewritten(String name, double load) {
        Optional<Spread> measured = results.cell("rewritten", SYNC_INSERT, load)
                .flatMap(read -> results.cell("rewritten", Contender.NO_INDEX, GoalLoads.AT_ONCE)
                        .flatMap(get -> read.ratioTo(get, Measurement.P50)));
        return Goal.of(FIGURE_OF_ONE_ROW.formatted(name), Bound.atMost(2), "", measured);
    }

    private Goal read(String name, double most, String experiment, double amount, Contender contender) {
        return ratio(FIGURE_OF_ONE_ROW.formatted(name), most, experiment, Measurement.P50, amount, contender);
    }

    private List<Goal> others() {
        return List.of(
                range(
                        "range of 40,000 entries, sync-full / plain scan of as many index rows, time",
                        1.2,
                        SYNC_FULL,
                        Contender.NO_INDEX),
                range("range of 40,000 entries, sync-insert / sync-full, time", 1.7, SYNC_INSERT, SYNC_FULL),
                staleness(),
                scan(),
                backfill(),
                Goal.of(
                        "heap taken by a full AUQ / its bound",
                        Bound.atMost(1.1),
                        "",
                        results.cell("heap", cell -> true).flatMap(cell -> cell.spread(Measurement.HEAP_RATIO))));
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

    /**
     * Judges the throughput by that of plain calls in place of the index, both relative to no index in the same round.
     * The two are from different experiments, so their rounds are paired by their numbers alone.
     */
    private Goal shareOfPlain(Contender contender, String name, PlainWork work, double least) {
        List<Double> index =
                ratios(results.cell("update", contender, 8), results.cell("update", Contender.NO_INDEX, 8));
        List<Double> plain = ratios(
                results.cell("plain", work.cell(8)::equals),
                results.cell("plain", work.withoutIndex().cell(8)::equals));
        List<Double> shares = IntStream.range(0, Math.min(index.size(), plain.size()))
                .mapToObj(round -> index.get(round) / plain.get(round))
                .toList();
        return Goal.of(
                "puts/s, 8 clients, " + name + " / " + work.label(),
                Bound.atLeast(least),
                "",
                shares.isEmpty() ? Optional.empty() : Optional.of(Spread.of(shares)));
    }

    private static List<Double> ratios(Optional<CellResult> of, Optional<CellResult> basis) {
        return of.isPresent() && basis.isPresent() ? of.get().ratiosTo(basis.get(), Measurement.PER_SECOND) : List.of();
    }

    private Goal ratio(
            String figure, double most, String experiment, String value, double amount, Contender contender) {
        return Goal.of(figure, Bound.atMost(most), "", ratio(experiment, value, amount, contender, Contender.NO_INDEX));
    }

    /** Returns the figure of plain calls in place of the index, as a ratio to no index in the same rounds. */
    private Optional<Goal.Plain> plain(PlainWork work, int clients, String value) {
        Optional<CellResult> basis = results.cell("plain", work.withoutIndex().cell(clients)::equals);
        return results.cell("plain", work.cell(clients)::equals)
                .flatMap(plain -> basis.flatMap(put -> plain.ratioTo(put, value)))
                .map(ratio -> new Goal.Plain(work.label(), ratio));
    }

    /** Judges the largest range that was read; undecided if its number of entries is not that of the goal. */
    private Goal range(String figure, double most, Contender one, Contender other) {
        double entries = results.largestAmount("range");
        Goal goal = Goal.of(figure, Bound.atMost(most), "", ratio("range", Measurement.P50, entries, one, other));
        return goal.measured().isEmpty() || entries == GoalLoads.RANGE_ENTRIES
                ? goal
                : goal.judged(Optional.empty(), "measured with " + ReadableText.number(entries) + " entries");
    }

    /**
     * Judges the staleness. Below the target rate, staleness is lower, so a goal met there is undecided, while a goal
     * missed stays missed.
     */
    private Goal staleness() {
        Optional<CellResult> cell = results.cell("staleness", ASYNC, GoalLoads.STALENESS_PERCENT);
        Goal goal = Goal.of(
                "staleness p99, async, at 70% of the highest rate",
                Bound.atMost(40), "ms", cell.flatMap(each -> each.spread(Measurement.STALENESS_P99)));
        return cell.stream()
                .flatMap(each -> each.rounds().stream())
                .filter(round -> !round.isAtItsRate())
                .findFirst()
                .map(slow -> goal.judged(
                        goal.met().filter(met -> !met),
                        "a round reached only "
                                + ReadableText.number(
                                        slow.value(Measurement.PER_SECOND).orElse(0)) + " of "
                                + ReadableText.number(
                                        slow.value(Measurement.TARGET).orElse(0)) + " updates a second"))
                .orElse(goal);
    }

    /**
     * Judges the query by index. A full scan of a smaller table is faster, so a goal missed there is undecided, while a
     * goal met stays met.
     */
    private Goal scan() {
        double rows = results.largestAmount("scan");
        Optional<CellResult> fullScan = results.cell("scan", Contender.NO_INDEX, rows);
        Optional<Spread> measured = results.cell(
                        "scan", cell -> cell.contender().scheme().isPresent())
                .flatMap(index -> fullScan.flatMap(scan -> scan.ratioTo(index, Measurement.P50)));
        Goal goal = Goal.of(
                "query by index / full scan, 1,000,000 rows, one hit", Bound.atLeast(1_000), "times faster", measured);
        return measured.isEmpty() || rows >= GoalLoads.SCANNED_ROWS
                ? goal
                : goal.judged(goal.met().filter(met -> met), "measured with " + ReadableText.number(rows) + " rows");
    }

    /** Judges the creation of an index, of whatever scheme. */
    private Goal backfill() {
        Optional<Spread> measured = results.cell(
                        "backfill", cell -> cell.contender().scheme().isPresent())
                .flatMap(index -> results.cell(
                                "backfill", cell -> cell.contender().equals(Contender.NO_INDEX))
                        .flatMap(client -> index.ratioTo(client, Measurement.PER_SECOND)));
        return Goal.of("rows/s of createIndex / a client that scans and puts", Bound.atLeast(3), "times", measured);
    }

    private Optional<Spread> ratio(String experiment, String value, double amount, Contender one, Contender other) {
        Optional<CellResult> basis = results.cell(experiment, other, amount);
        return results.cell(experiment, one, amount).flatMap(cell -> basis.flatMap(to -> cell.ratioTo(to, value)));
    }
}
