package org.diffindex.lab.bench.experiments;

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
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;
import org.diffindex.ycsb.Items;

/** The duration of a query for one row by index, compared with a filtered full scan of the same table. */
final class ScanExperiment implements Experiment {
    private static final ExperimentDescription DESCRIPTION = new ExperimentDescription(
            "scan",
            "Query by index and full scan",
            "section 8.2 of the paper",
            "One client looks for the one item with a title: by getByIndex, and (\"no index\") by a scan of the whole table"
                    + " with a filter on the servers; both return the row key and the title.",
            List.of(Plot.byLoad(
                    "scan", "One row by index and by full scan", Quantity.millis(Measurement.P50, "median time, ms"))),
            List.of(Measurement.P50, Measurement.P95, Measurement.OPERATIONS));

    /** A scan of the whole table takes seconds, and differs little from round to round. */
    private static final int MOST_ROUNDS = 3;

    private final Bench bench;
    private BenchTable table;

    ScanExperiment(Bench bench) {
        this.bench = bench;
    }

    @Override
    public ExperimentDescription description() {
        return DESCRIPTION;
    }

    @Override
    public List<BenchCell> cells() {
        int rows = bench.options().scanRows();
        return BenchCell.ofEach(
                List.of(Contender.NO_INDEX, bench.options().mainScheme()), "1 of %,d rows".formatted(rows), rows);
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() + 0.5 + bench.options().scanRows() * 1e-5;
    }

    @Override
    public Procedure procedure() {
        return Procedure.SETTLED
                .with(hasOwnTable() ? Procedure.Tables.OWN : Procedure.Tables.SHARED_COMPACTED)
                .withMostRounds(MOST_ROUNDS);
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
        Contender scheme = bench.options().mainScheme();
        if (hasOwnTable()) {
            table = new BenchTable(scheme, "_scan", bench.options().scanRows(), 1, BenchTables.REGIONS);
            table.create(bench.connection());
            table.load(bench.connection(), bench.options().seed());
        } else {
            table = bench.tables().of(scheme);
        }
    }

    @Override
    public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
        Random random = bench.random(name(), cell.load(), round, 0);
        Load.Clients clients = cell.contender().scheme().isPresent()
                ? thread -> new ReadClient(
                        bench.connection(), table, Projection.TITLE, ItemChoice.even(table, 1, thread, random))
                : thread -> () -> scan(random.nextInt(table.evenItems()));
        return Load.closed(1, seconds).run(clients).measurement().with("rows", cell.amount());
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
                throw new IOException(
                        "A full scan of " + table.name() + " did not return exactly the row of item " + item);
            }
        }
    }
}
