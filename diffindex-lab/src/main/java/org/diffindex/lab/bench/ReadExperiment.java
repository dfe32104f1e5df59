package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.diffindex.lab.bench.Plot.Quantity;

/** The latency of reads of one row by index over their throughput, beside that of Gets that return the same cells. */
final class ReadExperiment implements Experiment {
    private final Bench bench;
    private final Projection projection;

    private ReadExperiment(Bench bench, Projection projection) {
        this.bench = bench;
        this.projection = projection;
    }

    /** Of the row key and the indexed column. */
    static ReadExperiment titles(Bench bench) {
        return new ReadExperiment(bench, Projection.TITLE);
    }

    /** Of whole rows. */
    static ReadExperiment rows(Bench bench) {
        return new ReadExperiment(bench, Projection.ROW);
    }

    private boolean isOfRows() {
        return projection == Projection.ROW;
    }

    @Override
    public String name() {
        return isOfRows() ? "read-rows" : "read";
    }

    @Override
    public String title() {
        return isOfRows() ? "Reads of one whole row" : "Reads of one row's key and title";
    }

    @Override
    public String source() {
        return isOfRows() ? "beyond the paper" : "figure 8 of the paper";
    }

    @Override
    public String explanation() {
        return isOfRows()
                ? "Each client asks for the one row with a title, all of its 1 KB, by getByIndex withRows: two calls under every"
                        + " scheme, a scan of the index and a Get of the row. \"no index\" is a Get of the whole row by a row key"
                        + " that the client knows: one call. The blocks are cached. A closed loop."
                : "Each client asks for the row key and the title of the one item with that title, by getByIndex: one call, a scan"
                        + " of the index; two under sync-insert, which looks the row's title up. \"no index\" is a Get of the"
                        + " title by a row key that the client knows: one call, which returns the same cell. The blocks are"
                        + " cached. A closed loop.";
    }

    @Override
    public List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (int threads : threads()) {
            for (Contender contender : bench.options().contenders()) {
                cells.add(new Cell(contender, UpdateExperiment.threads(threads), threads));
            }
        }
        return cells;
    }

    /** In haste whole rows are read by the first number of clients alone. */
    private List<Integer> threads() {
        List<Integer> threads = bench.options().threads();
        return isOfRows() && bench.options().quick() ? threads.subList(0, 1) : threads;
    }

    @Override
    public List<Plot> plots() {
        return List.of(Plot.of(
                name(),
                title() + ": latency over throughput",
                Quantity.linear(Measurement.PER_SECOND, "reads per second"),
                Quantity.millis(Measurement.P50, "median latency of a read, ms")));
    }

    @Override
    public List<String> columns() {
        return Measurement.OF_CLOSED_LOOP;
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
    public boolean compactsTables() {
        return true;
    }

    @Override
    public Measurement run(Cell cell, int round, double seconds) throws IOException {
        BenchTable table = bench.tables().of(cell.contender());
        int threads = (int) cell.amount();
        Load.Done done =
                Load.closed(threads, seconds).run(bench.reads(table, projection, name(), cell.load(), threads, round));
        return Measurement.of(done, done.secondsUntilNow());
    }
}
