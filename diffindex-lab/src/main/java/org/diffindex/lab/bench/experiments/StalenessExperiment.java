package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.Staleness;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;

/** The staleness of asynchronous indexes at several rates of updates: shares of the highest rate. */
final class StalenessExperiment implements Experiment {
    private static final String MAX = "staleness_max_ms";
    private static final int CLIENTS = 8;
    private static final Quantity RATE = Quantity.linear(Measurement.PER_SECOND, "puts per second");

    private static final ExperimentDescription DESCRIPTION = new ExperimentDescription(
            "staleness",
            "Staleness",
            "figure 11 of the paper",
            "T2 - T1 of every update: from the moment the base row is visible until its index updates are durable, as the"
                    + " region servers measure it. The rates are shares of the highest rate, which 8 clients reach in a closed"
                    + " loop, draining included. Latencies count from the intended start.",
            List.of(
                    Plot.of(
                            "staleness",
                            "Staleness over the rate of updates: 99th percentile",
                            RATE,
                            Quantity.log(Measurement.STALENESS_P99, "99th percentile of staleness, ms")),
                    Plot.of(
                            "staleness-p50",
                            "Staleness over the rate of updates: median",
                            RATE,
                            Quantity.log(Measurement.STALENESS_P50, "median staleness, ms"))),
            List.of(
                    Measurement.STALENESS_P50,
                    Measurement.STALENESS_P99,
                    MAX,
                    Measurement.PER_SECOND,
                    Measurement.P50,
                    Measurement.P99));

    private final Bench bench;
    private final HighestRates highest;

    StalenessExperiment(Bench bench) {
        this.bench = bench;
        this.highest = new HighestRates(bench, name(), CLIENTS);
    }

    @Override
    public ExperimentDescription description() {
        return DESCRIPTION;
    }

    @Override
    public List<BenchCell> cells() {
        List<Integer> shares = bench.options().quick()
                ? List.of(30, GoalLoads.STALENESS_PERCENT, 90)
                : List.of(10, 30, 50, GoalLoads.STALENESS_PERCENT, 90);
        return shares.stream()
                .flatMap(share ->
                        BenchCell.ofEach(bench.options().asynchronous(), share + "% of the highest rate", share)
                                .stream())
                .toList();
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() * 1.1;
    }

    @Override
    public double share(BenchCell cell) {
        return bench.options().shareOf(cell.amount() == GoalLoads.STALENESS_PERCENT);
    }

    @Override
    public Procedure procedure() {
        return Procedure.SETTLED;
    }

    @Override
    public double secondsToPrepare() {
        return HighestRates.TURNS
                * expectedSeconds()
                * bench.options().asynchronous().size();
    }

    /** Measures the highest rates. */
    @Override
    public void prepare() throws IOException {
        highest.measure(bench.options().asynchronous(), bench.options().seconds());
    }

    @Override
    public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
        BenchTable table = bench.tables().of(cell.contender());
        double most = highest.of(cell.contender());
        double rate = most * cell.amount() / 100;
        try (DiffIndexAdmin admin = new DiffIndexAdmin(bench.connection())) {
            Staleness before = admin.status(table.name()).staleness();
            Measurement puts = Load.paced(CLIENTS, rate, seconds)
                    .run(bench.updates(table, name(), cell.load(), CLIENTS, round))
                    .measurement();
            table.drain(bench.connection());
            Staleness staleness = admin.status(table.name()).staleness().since(before);
            return puts.with(Measurement.STALENESS_P50, millis(staleness.p50()))
                    .with(Measurement.STALENESS_P99, millis(staleness.p99()))
                    .with(MAX, millis(staleness.max()))
                    .with("staleness_updates", (double) staleness.count())
                    .with("highest_per_second", most);
        }
    }

    private static double millis(Duration duration) {
        return duration.toNanos() / 1e6;
    }
}
