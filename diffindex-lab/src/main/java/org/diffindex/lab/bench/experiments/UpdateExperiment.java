package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;

/** The latency and throughput of updates, with several numbers of clients. */
final class UpdateExperiment implements Experiment {
    private static final String EXPLANATION =
            "Each client gives an item a new title, with a put of its whole row of 1 KB, as soon as its previous put is"
                    + " acknowledged: a closed loop, in which a stall is one slow put. update-rate has percentiles at target"
                    + " rates. The throughput of an asynchronous scheme includes the time until its indexes hold every put.";

    private static final ExperimentDescription EVEN = new ExperimentDescription(
            "update",
            "Updates",
            "figure 7 of the paper",
            EXPLANATION,
            List.of(
                    Plot.of(
                            "update",
                            "Updates: latency over throughput",
                            Quantity.linear(Measurement.PER_SECOND, "puts per second, drained"),
                            Quantity.millis(Measurement.P50, "median latency of a put, ms")),
                    Plot.byLoad(
                            "update-p99",
                            "Updates: 99th percentile of a closed loop",
                            Quantity.millis(Measurement.P99, "99th percentile of a put, ms"))),
            Measurement.OF_DRAINED_LOOP);

    private static final ExperimentDescription SKEWED = new ExperimentDescription(
            "skewed",
            "Skewed updates",
            "beyond the paper",
            "As for updates, but a zipfian distribution chooses the items. " + EXPLANATION,
            List.of(Plot.byLoad(
                    "skewed",
                    "Skewed updates: throughput",
                    Quantity.linear(Measurement.PER_SECOND, "puts per second"))),
            Measurement.OF_DRAINED_LOOP);

    private final Bench bench;
    private final ExperimentDescription description;
    private final ItemChoice choice;
    private final List<Integer> threads;

    private UpdateExperiment(Bench bench, ExperimentDescription description, ItemChoice choice, List<Integer> threads) {
        this.bench = bench;
        this.description = description;
        this.choice = choice;
        this.threads = List.copyOf(threads);
    }

    /** Returns the experiment in which all items are equally likely. */
    static UpdateExperiment even(Bench bench) {
        return new UpdateExperiment(
                bench, EVEN, ItemChoice::even, bench.options().threads());
    }

    /**
     * Returns the experiment in which a few items are updated very often, by the second number of clients if there is
     * one, because contention needs several clients.
     */
    static UpdateExperiment skewed(Bench bench) {
        List<Integer> threads = bench.options().threads();
        return new UpdateExperiment(
                bench,
                SKEWED,
                ItemChoice::skewed,
                threads.subList(Math.min(1, threads.size() - 1), Math.min(2, threads.size())));
    }

    /** Returns the name of a number of clients in a cell. */
    static String clients(int clients) {
        return clients == 1 ? "1 client" : clients + " clients";
    }

    /** Returns the cells of an experiment with each of these numbers of clients. */
    static List<BenchCell> cells(Bench bench, String experiment, List<Integer> threads) {
        return threads.stream()
                .flatMap(number ->
                        BenchCell.ofEach(bench.options().contenders(experiment), clients(number), number).stream())
                .toList();
    }

    @Override
    public ExperimentDescription description() {
        return description;
    }

    @Override
    public List<BenchCell> cells() {
        return cells(bench, name(), threads);
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() * 1.1;
    }

    @Override
    public double share(BenchCell cell) {
        return bench.options().shareOf(description.equals(EVEN) && GoalLoads.areUpdatesJudged(cell.amount()));
    }

    @Override
    public Procedure procedure() {
        return Procedure.SETTLED;
    }

    @Override
    public Optional<TableName> updatedTable(BenchCell cell) {
        return bench.tables().of(cell.contender()).maintained();
    }

    @Override
    public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
        BenchTable table = bench.tables().of(cell.contender());
        int clients = (int) cell.amount();
        Load.Done done =
                Load.closed(clients, seconds).run(bench.updates(table, choice, name(), cell.load(), clients, round));
        return bench.drained(done, table);
    }
}
