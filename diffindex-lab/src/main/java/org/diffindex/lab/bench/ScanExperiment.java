package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.lab.bench.Plot.Quantity;
import org.diffindex.model.IndexScheme;
import org.diffindex.ycsb.Items;

/** The time of a query by index of one row, beside a full scan of the same table that filters for that row. */
final class ScanExperiment implements Experiment {
    /** How many rows the goal speaks of. */
    static final int GOAL_ROWS = 1_000_000;

    static final String ROWS = "rows";

    private final Bench bench;
    private BenchTable table;

    ScanExperiment(Bench bench) {
        this.bench = bench;
    }

    @Override
    public String name() {
        return "scan";
    }

    @Override
    public String title() {
        return "Query by index and full scan";
    }

    @Override
    public String source() {
        return "section 8.2 of the paper";
    }

    @Override
    public String explanation() {
        return "One client looks for the one item with a title: by getByIndex, and (\"no index\") by a scan of the whole"
                + " table with a filter on the servers; both return the row key and the title.";
    }

    @Override
    public List<Cell> cells() {
        String load = "1 of %,d rows".formatted(bench.options().scanRows());
        return List.of(Contender.NO_INDEX, scheme()).stream()
                .map(contender -> new Cell(contender, load, bench.options().scanRows()))
                .toList();
    }

    private Contender scheme() {
        List<Contender> schemes = bench.options().schemes();
        Contender full = Contender.of(IndexScheme.SYNC_FULL);
        return schemes.contains(full) ? full : schemes.get(0);
    }

    @Override
    public List<Plot> plots() {
        return List.of(Plot.byLoad(
                "scan", "One row by index and by full scan", Quantity.millis(Measurement.P50, "median time, ms")));
    }

    @Override
    public List<String> columns() {
        return List.of(Measurement.P50, Measurement.P95, Measurement.OPERATIONS);
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() + 0.5 + bench.options().scanRows() * 1e-5;
    }

    @Override
    public boolean usesSharedTables() {
        return !hasOwnTable();
    }

    @Override
    public boolean compactsTables() {
        return !hasOwnTable();
    }

    private boolean hasOwnTable() {
        return bench.options().scanRows() > bench.options().rows();
    }

    @Override
    public double secondsToPrepare() {
        return hasOwnTable() ? bench.options().scanRows() * 1.5e-4 : 0;
    }

    @Override
    public void prepare() throws IOException {
        if (hasOwnTable()) {
            table = new BenchTable(scheme(), "_scan", bench.options().scanRows(), 1, BenchTables.REGIONS);
            table.create(bench.connection());
            table.load(bench.connection(), bench.options().seed());
        } else {
            table = bench.tables().of(scheme());
        }
    }

    @Override
    public Measurement run(Cell cell, int round, double seconds) throws IOException {
        Random random = bench.random(name(), cell.load(), round, 0);
        Load.Clients clients = cell.contender().scheme().isPresent()
                ? thread -> new ReadClient(
                        bench.connection(), table, Projection.TITLE, ItemChoice.even(table, 1, thread, random))
                : thread -> () -> scan(random.nextInt(table.evenItems()));
        Load.Done done = Load.closed(1, seconds).run(clients);
        return Measurement.of(done, done.secondsUntilNow()).with(ROWS, cell.amount());
    }

    private void scan(int item) throws IOException {
        byte[] column = Bytes.toBytes(Items.TITLE);
        SingleColumnValueFilter filter =
                new SingleColumnValueFilter(BenchTable.FAMILY, column, CompareOperator.EQUAL, table.title(item));
        filter.setFilterIfMissing(true);
        Scan scan = new Scan().addColumn(BenchTable.FAMILY, column).setFilter(filter);
        try (Table base = bench.scanned(table.name());
                ResultScanner scanner = base.getScanner(scan)) {
            Result hit = scanner.next();
            if (hit == null || !Bytes.equals(hit.getRow(), BenchTable.key(item)) || scanner.next() != null) {
                throw new IOException("A full scan of " + table.name() + " does not find the one row of item " + item);
            }
        }
    }
}
