package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.List;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;

/** The latency and throughput of reads of one row by index, compared with Gets that return the same cells. */
final class ReadExperiment implements Experiment {
    private static final ExperimentDescription TITLES = description(
            "read",
            "Reads of one row's key and title",
            "figure 8 of the paper",
            "Each client asks for the row key and the title of the one item with that title, by getByIndex: one call, a scan"
                    + " of the index; two under sync-insert, which looks up the title in the row. \"no index\" is a Get of the"
                    + " title by a row key that the client knows: one call, which returns the same cell. The blocks are"
                    + " cached. A closed loop.");

    private static final ExperimentDescription ROWS = description(
            "read-rows",
            "Reads of one whole row",
            "beyond the paper",
            "Each client asks for the one row with a title, all of its 1 KB, by getByIndex withRows: two calls under every"
                    + " scheme, a scan of the index and a Get of the row. \"no index\" is a Get of the whole row by a row key"
                    + " that the client knows: one call. The blocks are cached. A closed loop.");

    private final Bench bench;
    private final ExperimentDescription description;
    private final Projection projection;
    private final List<Integer> threads;

    private ReadExperiment(
            Bench bench, ExperimentDescription description, Projection projection, List<Integer> threads) {
        this.bench = bench;
        this.description = description;
        this.projection = projection;
        this.threads = List.copyOf(threads);
    }

    /** Returns the experiment with reads of the row key and the indexed column. */
    static ReadExperiment titles(Bench bench) {
        return new ReadExperiment(
                bench, TITLES, Projection.TITLE, bench.options().threads());
    }

    /** Returns the experiment with reads of whole rows; a quick run uses only the first number of clients. */
    static ReadExperiment rows(Bench bench) {
        List<Integer> threads = bench.options().threads();
        return new ReadExperiment(
                bench, ROWS, Projection.ROW, bench.options().quick() ? threads.subList(0, 1) : threads);
    }

    private static ExperimentDescription description(String name, String title, String source, String explanation) {
        Plot plot = Plot.of(
                name,
                title + ": latency over throughput",
                Quantity.linear(Measurement.PER_SECOND, "reads per second"),
                Quantity.millis(Measurement.P50, "median latency of a read, ms"));
        return new ExperimentDescription(name, title, source, explanation, List.of(plot), Measurement.OF_CLOSED_LOOP);
    }

    @Override
    public ExperimentDescription description() {
        return description;
    }

    @Override
    public List<BenchCell> cells() {
        return UpdateExperiment.cells(bench, name(), threads);
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds();
    }

    @Override
    public double share(BenchCell cell) {
        return bench.options().shareOf(description.equals(TITLES) && GoalLoads.areReadsJudged(cell.amount()));
    }

    @Override
    public Procedure procedure() {
        return Procedure.SETTLED.with(Procedure.Tables.SHARED_COMPACTED);
    }

    @Override
    public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
        BenchTable table = bench.tables().of(cell.contender());
        int clients = (int) cell.amount();
        return Load.closed(clients, seconds)
                .run(bench.reads(table, projection, name(), cell.load(), clients, round))
                .measurement();
    }
}
