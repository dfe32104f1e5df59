package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.diffindex.lab.bench.Plot.Quantity;

/** The latency of updates over their throughput, at several numbers of clients. */
final class UpdateExperiment implements Experiment {
    private final Bench bench;
    private final String name;
    private final ItemChoice choice;

    private UpdateExperiment(Bench bench, String name, ItemChoice choice) {
        this.bench = bench;
        this.name = name;
        this.choice = choice;
    }

    /** Of items that are chosen evenly. */
    static UpdateExperiment even(Bench bench) {
        return new UpdateExperiment(bench, "update", ItemChoice::even);
    }

    /** Of items of which a few are chosen very often. */
    static UpdateExperiment skewed(Bench bench) {
        return new UpdateExperiment(bench, "skewed", ItemChoice::skewed);
    }

    private boolean isSkewed() {
        return name.equals("skewed");
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String title() {
        return isSkewed() ? "Skewed updates" : "Updates";
    }

    @Override
    public String source() {
        return isSkewed() ? "beyond the paper" : "figure 7 of the paper";
    }

    @Override
    public String explanation() {
        return (isSkewed() ? "As for updates, but of items chosen by a zipfian distribution. " : "")
                + "Each client gives an item a new title, with a put of its whole row of 1 KB, as soon as its last put is"
                + " acknowledged: a closed loop, in which a stall is one slow put; update-rate has percentiles at given rates. The rate"
                + " of an asynchronous scheme counts the time until its indexes have every put.";
    }

    @Override
    public List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (int threads : threads()) {
            for (Contender contender : bench.options().contenders()) {
                cells.add(new Cell(contender, threads(threads), threads));
            }
        }
        return cells;
    }

    /** Skewed updates are of interest where several clients meet. */
    private List<Integer> threads() {
        List<Integer> threads = bench.options().threads();
        return isSkewed() ? threads.subList(Math.min(1, threads.size() - 1), Math.min(2, threads.size())) : threads;
    }

    /** How cells name so many clients. */
    static String threads(int threads) {
        return threads == 1 ? "1 client" : threads + " clients";
    }

    @Override
    public List<Plot> plots() {
        if (isSkewed()) {
            return List.of(Plot.byLoad(
                    "skewed",
                    "Skewed updates: throughput",
                    Quantity.linear(Measurement.PER_SECOND, "puts per second")));
        }
        return List.of(
                Plot.of(
                        "update",
                        "Updates: latency over throughput",
                        Quantity.linear(Measurement.PER_SECOND, "puts per second, drained"),
                        Quantity.millis(Measurement.P50, "median latency of a put, ms")),
                Plot.byLoad(
                        "update-p99",
                        "Updates: 99th percentile of a closed loop",
                        Quantity.millis(Measurement.P99, "99th percentile of a put, ms")));
    }

    @Override
    public List<String> columns() {
        return List.of(
                Measurement.P50,
                Measurement.P95,
                Measurement.P99,
                Measurement.PER_SECOND,
                "drain_s",
                Measurement.CLIENT_CPU,
                Measurement.SERVER_CPU);
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() * 1.1;
    }

    @Override
    public boolean warmsUpUntilSettled() {
        return true;
    }

    @Override
    public Measurement run(Cell cell, int round, double seconds) throws IOException {
        BenchTable table = bench.tables().of(cell.contender());
        int threads = (int) cell.amount();
        Load.Done done = Load.closed(threads, seconds).run(thread -> {
            var random = bench.random(name, cell.load(), round, thread);
            return new UpdateClient(bench.connection(), table, choice.of(table, threads, thread, random), random);
        });
        return bench.drained(done, table);
    }
}
