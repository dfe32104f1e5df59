package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;

/** The latency of updates of tables with several indexes; each update changes the entry of every index. */
final class IndexesExperiment implements Experiment {
    private static final int MOST_ROWS = 2_000;
    private static final String INDEXES = "indexes";

    private static final ExperimentDescription DESCRIPTION = new ExperimentDescription(
            "indexes",
            "Several indexes",
            "beyond the paper",
            "One client writes whole rows of 1 KB, each of which changes the entry of every index: by title, by price, and by"
                    + " columns of 100 bytes. The tables are small and have one region, all on one server; the regions of"
                    + " their indexes are on the other servers.",
            List.of(Plot.of(
                    "indexes",
                    "Updates of tables with several indexes",
                    Quantity.linear(INDEXES, "indexes of the table"),
                    Quantity.millis(Measurement.P50, "median latency of a put, ms"))),
            List.of(
                    Measurement.P50,
                    Measurement.P95,
                    Measurement.P99,
                    Measurement.PER_SECOND,
                    Measurement.DRAIN,
                    Measurement.ROW_MEMORY_HIT_SHARE));

    private final Bench bench;
    private final Map<BenchCell, BenchTable> tables = new LinkedHashMap<>();

    IndexesExperiment(Bench bench) {
        this.bench = bench;
        int rows = Math.min(MOST_ROWS, bench.options().rows());
        for (BenchCell cell : cells()) {
            int indexes = (int) cell.amount();
            tables.put(cell, new BenchTable(cell.contender(), "_" + indexes, rows, indexes, 1));
        }
    }

    @Override
    public ExperimentDescription description() {
        return DESCRIPTION;
    }

    @Override
    public List<BenchCell> cells() {
        List<Integer> numbers =
                bench.options().quick() ? List.of(1, BenchTable.MOST_INDEXES) : List.of(1, 2, BenchTable.MOST_INDEXES);
        List<BenchCell> cells = new ArrayList<>(List.of(new BenchCell(Contender.NO_INDEX, "0 indexes", 0)));
        for (int indexes : numbers) {
            cells.addAll(BenchCell.ofEach(schemes(), indexes == 1 ? "1 index" : indexes + " indexes", indexes));
        }
        return cells;
    }

    /**
     * Returns all schemes of the run; in a quick run, where creating the tables dominates, only sync-full and
     * async-simple.
     */
    private List<Contender> schemes() {
        List<Contender> few = List.of(Contender.of(IndexScheme.SYNC_FULL), Contender.of(IndexScheme.ASYNC_SIMPLE));
        return bench.options().schemes().stream()
                .filter(contender -> !bench.options().quick() || few.contains(contender))
                .toList();
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() * 1.1;
    }

    @Override
    public double share(BenchCell cell) {
        return bench.options().shareOf(GoalLoads.areIndexesJudged(cell.contender(), cell.amount()));
    }

    @Override
    public Procedure procedure() {
        return Procedure.SETTLED.with(Procedure.Tables.OWN);
    }

    @Override
    public double secondsToPrepare() {
        return 3.0 * tables.size();
    }

    @Override
    public void prepare() throws IOException {
        bench.tables().create(List.copyOf(tables.values()));
        Placement placement = new Placement(bench.cluster(), bench.connection());
        for (BenchTable table : tables.values()) {
            table.load(bench.connection(), bench.options().seed());
            placement.apart(
                    table.name(),
                    table.definitions().stream()
                            .map(IndexDefinition::indexTable)
                            .toList());
        }
    }

    @Override
    public Optional<TableName> updatedTable(BenchCell cell) {
        return Optional.of(tables.get(cell).name());
    }

    @Override
    public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
        BenchTable table = tables.get(cell);
        Load.Done done = Load.closed(1, seconds).run(bench.updates(table, name(), cell.load(), 1, round));
        return bench.drained(done, table).with(INDEXES, cell.amount());
    }
}
