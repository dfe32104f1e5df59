package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.diffindex.lab.bench.Plot.Quantity;
import org.diffindex.model.IndexScheme;

/** The latency of updates of tables with several indexes, all of which each update changes. */
final class IndexesExperiment implements Experiment {
    private static final int MOST_ROWS = 2_000;

    private final Bench bench;
    private final Map<Cell, BenchTable> tables = new LinkedHashMap<>();

    IndexesExperiment(Bench bench) {
        this.bench = bench;
        int rows = Math.min(MOST_ROWS, bench.options().rows());
        for (Cell cell : cells()) {
            int indexes = (int) cell.amount();
            tables.put(cell, new BenchTable(cell.contender(), "_" + indexes, rows, indexes, 1));
        }
    }

    @Override
    public String name() {
        return "indexes";
    }

    @Override
    public String title() {
        return "Several indexes";
    }

    @Override
    public String source() {
        return "beyond the paper";
    }

    @Override
    public String explanation() {
        return "One client writes whole rows of 1 KB, each of which changes the entry of every index: by title, by price, and"
                + " by columns of 100 bytes. The tables are small, of one region.";
    }

    @Override
    public List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        cells.add(new Cell(Contender.NO_INDEX, "0 indexes", 0));
        for (int indexes : bench.options().quick()
                ? List.of(1, BenchTable.MOST_INDEXES)
                : List.of(1, 2, BenchTable.MOST_INDEXES)) {
            for (Contender contender : schemes()) {
                cells.add(new Cell(contender, indexes == 1 ? "1 index" : indexes + " indexes", indexes));
            }
        }
        return cells;
    }

    /** All schemes; in haste, where tables are made for minutes, only one of each kind. */
    private List<Contender> schemes() {
        List<Contender> few = List.of(Contender.of(IndexScheme.SYNC_FULL), Contender.of(IndexScheme.ASYNC_SIMPLE));
        return bench.options().schemes().stream()
                .filter(contender -> !bench.options().quick() || few.contains(contender))
                .toList();
    }

    @Override
    public List<Plot> plots() {
        return List.of(Plot.of(
                "indexes",
                "Updates of tables with several indexes",
                Quantity.linear("indexes", "indexes of the table"),
                Quantity.millis(Measurement.P50, "median latency of a put, ms")));
    }

    @Override
    public List<String> columns() {
        return List.of(Measurement.P50, Measurement.P95, Measurement.P99, Measurement.PER_SECOND, "drain_s");
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() * 1.1;
    }

    @Override
    public boolean usesSharedTables() {
        return false;
    }

    @Override
    public double secondsToPrepare() {
        return 3.0 * tables.size();
    }

    @Override
    public void prepare() throws IOException {
        bench.tables().create(List.copyOf(tables.values()));
        for (BenchTable table : tables.values()) {
            table.load(bench.connection(), bench.options().seed());
        }
    }

    @Override
    public Measurement run(Cell cell, int round, double seconds) throws IOException {
        BenchTable table = tables.get(cell);
        Load.Done done = Load.closed(1, seconds).run(bench.updates(table, name(), cell.load(), 1, round));
        return bench.drained(done, table).with("indexes", cell.amount());
    }
}
