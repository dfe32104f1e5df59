package org.diffindex.cli.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.diffindex.cli.bench.Plot.Quantity;

/** The latency of reads of one row by index over their throughput, beside that of plain Gets. */
final class ReadExperiment implements Experiment {
    private final Bench bench;

    ReadExperiment(Bench bench) {
        this.bench = bench;
    }

    @Override
    public String name() {
        return "read";
    }

    @Override
    public String title() {
        return "Reads of one row";
    }

    @Override
    public String source() {
        return "figure 8 of the paper";
    }

    @Override
    public String explanation() {
        return "Each client asks for the row key of the one item with a title, by getByIndex; \"no index\" is a plain Get"
                + " of a whole row by its key. The blocks are cached.";
    }

    @Override
    public List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (int threads : bench.options().threads()) {
            for (Contender contender : bench.options().contenders()) {
                cells.add(new Cell(contender, UpdateExperiment.threads(threads), threads));
            }
        }
        return cells;
    }

    @Override
    public List<Plot> plots() {
        return List.of(Plot.of(
                "read",
                "Reads of one row: latency over throughput",
                Quantity.linear(Measurement.PER_SECOND, "reads per second"),
                Quantity.millis(Measurement.P50, "median latency of a read, ms")));
    }

    @Override
    public List<String> columns() {
        return List.of(
                Measurement.P50,
                Measurement.P95,
                Measurement.P99,
                Measurement.PER_SECOND,
                Measurement.CLIENT_CPU,
                Measurement.SERVER_CPU);
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds();
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
            var random = bench.random(name(), cell.load(), round, thread);
            return new ReadClient(bench.connection(), table, ItemChoice.even(table, threads, thread, random));
        });
        return Measurement.of(done.nanos(), done.secondsUntilNow());
    }
}
