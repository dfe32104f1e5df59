package org.diffindex.lab.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.Staleness;
import org.diffindex.lab.bench.Plot.Quantity;

/** How far asynchronous indexes are behind their table at several rates of updates: shares of the highest rate. */
final class StalenessExperiment implements Experiment {
    /** The share of the highest rate, in percent, of which the goal speaks. */
    static final int GOAL_PERCENT = 70;

    static final String P99 = "staleness_p99_ms";

    private static final int CLIENTS = 8;
    private static final int CALIBRATIONS = 2;

    private final Bench bench;
    private final HighestRates highest;

    StalenessExperiment(Bench bench) {
        this.bench = bench;
        this.highest = new HighestRates(bench, name(), CLIENTS);
    }

    @Override
    public String name() {
        return "staleness";
    }

    @Override
    public String title() {
        return "Staleness";
    }

    @Override
    public String source() {
        return "figure 11 of the paper";
    }

    @Override
    public String explanation() {
        return "T2 - T1 of every update: from the base row being visible to its index updates being durable, as the region"
                + " servers measure it. The rates are shares of the highest, which 8 clients reach with the time to drain"
                + " counted; latencies count from the start that the rate intends.";
    }

    @Override
    public List<Cell> cells() {
        List<Integer> shares =
                bench.options().quick() ? List.of(30, GOAL_PERCENT, 90) : List.of(10, 30, 50, GOAL_PERCENT, 90);
        List<Cell> cells = new ArrayList<>();
        for (int share : shares) {
            for (Contender contender : bench.options().asynchronous()) {
                cells.add(new Cell(contender, share + "% of the highest rate", share));
            }
        }
        return cells;
    }

    @Override
    public List<Plot> plots() {
        Quantity rate = Quantity.linear(Measurement.PER_SECOND, "puts per second");
        return List.of(
                Plot.of(
                        "staleness",
                        "Staleness over the rate of updates: 99th percentile",
                        rate,
                        Quantity.log(P99, "99th percentile of staleness, ms")),
                Plot.of(
                        "staleness-p50",
                        "Staleness over the rate of updates: median",
                        rate,
                        Quantity.log("staleness_p50_ms", "median staleness, ms")));
    }

    @Override
    public List<String> columns() {
        return List.of(
                "staleness_p50_ms", P99, "staleness_max_ms", Measurement.PER_SECOND, Measurement.P50, Measurement.P99);
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() * 1.1;
    }

    @Override
    public double secondsToPrepare() {
        return CALIBRATIONS * expectedSeconds() * bench.options().asynchronous().size();
    }

    /** Finds the highest rates. */
    @Override
    public void prepare() throws IOException {
        highest.measure(
                bench.options().asynchronous(), CALIBRATIONS, bench.options().seconds());
    }

    @Override
    public Measurement run(Cell cell, int round, double seconds) throws IOException {
        BenchTable table = bench.tables().of(cell.contender());
        double most = highest.of(cell.contender());
        double rate = most * cell.amount() / 100;
        try (DiffIndexAdmin admin = new DiffIndexAdmin(bench.connection())) {
            Staleness before = admin.status(table.name()).staleness();
            Load.Done done =
                    Load.paced(CLIENTS, rate, seconds).run(bench.updates(table, name(), cell.load(), CLIENTS, round));
            double writing = done.secondsUntilNow();
            table.drain(bench.connection());
            Staleness staleness = admin.status(table.name()).staleness().since(before);
            return Measurement.paced(done, writing, rate)
                    .with("staleness_p50_ms", millis(staleness.p50()))
                    .with(P99, millis(staleness.p99()))
                    .with("staleness_max_ms", millis(staleness.max()))
                    .with("staleness_updates", (double) staleness.count())
                    .with("highest_per_second", most);
        }
    }

    private static double millis(Duration duration) {
        return duration.toNanos() / 1e6;
    }
}
