package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;
import org.diffindex.model.IndexDefinition;
import org.diffindex.ycsb.Items;

/** The time to create an index of a table that has rows, compared with a client that scans the table and puts entries. */
final class BackfillExperiment implements Experiment {
    private static final int MOST_ROWS = 150_000;
    private static final int MOST_ROUNDS = 3;

    /** The number of rows that the plain client reads with one call, and of the entries that it writes with one. */
    private static final int BATCH = 1_000;

    private static final ExperimentDescription DESCRIPTION = new ExperimentDescription(
            "backfill",
            "Creating an index of a table with rows",
            "beyond the paper",
            "An index by title of a table of rows of 1 KB that nobody writes: rows per second, from the request until the index"
                    + " can be read. \"no index\" is a client that creates a table of three regions, scans the titles and puts an"
                    + " entry for each, 1,000 a call, one call after the other; nothing keeps its entries right if a row is written"
                    + " meanwhile.",
            List.of(Plot.byLoad(
                    "backfill",
                    "Creating an index of a table with rows",
                    Quantity.linear(Measurement.PER_SECOND, "rows per second"))),
            List.of(Measurement.PER_SECOND, Measurement.SECONDS));

    private final Bench bench;
    private final EntryTable entries = new EntryTable("backfill_entries");
    private final BenchTable table;
    private final IndexDefinition index;

    BackfillExperiment(Bench bench) {
        this.bench = bench;
        int rows = Math.min(MOST_ROWS, bench.options().scanRows());
        table = new BenchTable(Contender.NO_INDEX, "_backfill", rows, 0, BenchTables.REGIONS);
        index = table.byTitle(bench.options().mainScheme().scheme().orElseThrow());
    }

    @Override
    public ExperimentDescription description() {
        return DESCRIPTION;
    }

    @Override
    public List<BenchCell> cells() {
        return BenchCell.ofEach(
                List.of(Contender.NO_INDEX, bench.options().mainScheme()),
                "%,d rows".formatted(table.rows()),
                table.rows());
    }

    @Override
    public double expectedSeconds() {
        return 3 + table.rows() * 3e-5;
    }

    @Override
    public Procedure procedure() {
        return Procedure.SETTLED.with(Procedure.Tables.OWN).withMostRounds(MOST_ROUNDS);
    }

    @Override
    public double secondsToPrepare() {
        return 3 + table.rows() * 1.5e-4;
    }

    @Override
    public void prepare() throws IOException {
        table.create(bench.connection());
        table.load(bench.connection(), bench.options().seed());
    }

    @Override
    public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
        return cell.contender().scheme().isPresent() ? createIndex() : writeEntries();
    }

    private Measurement createIndex() throws IOException {
        try (DiffIndexAdmin admin = new DiffIndexAdmin(bench.connection())) {
            long begin = System.nanoTime();
            admin.createIndex(index);
            Measurement measured = since(begin);
            requireAllEntries(index.indexTable());
            admin.dropIndex(table.name(), index.name());
            return measured;
        }
    }

    private Measurement writeEntries() throws IOException {
        long begin = System.nanoTime();
        entries.create(bench.connection());
        byte[] title = Bytes.toBytes(Items.TITLE);
        Scan scan = new Scan().addColumn(BenchTable.FAMILY, title).setCaching(BATCH);
        try (Table base = bench.scanned(table.name());
                Table to = bench.connection().getTable(entries.name());
                ResultScanner scanner = base.getScanner(scan)) {
            List<Put> batch = new ArrayList<>(BATCH);
            for (Result row = scanner.next(); row != null; row = scanner.next()) {
                batch.add(EntryTable.put(row.getValue(BenchTable.FAMILY, title), row.getRow()));
                if (batch.size() == BATCH) {
                    to.put(batch);
                    batch.clear();
                }
            }
            to.put(batch);
        }
        Measurement measured = since(begin);
        requireAllEntries(entries.name());
        entries.drop(bench.connection());
        return measured;
    }

    private Measurement since(long begin) {
        double seconds = (System.nanoTime() - begin) / 1e9;
        return Measurement.empty()
                .with(Measurement.P50, seconds * 1e6)
                .with(Measurement.OPERATIONS, 1)
                .with(Measurement.PER_SECOND, table.rows() / seconds)
                .with(Measurement.SECONDS, seconds);
    }

    private void requireAllEntries(TableName name) throws IOException {
        long found;
        try (Table written = bench.scanned(name)) {
            found = RowCount.of(written);
        }
        if (found != table.rows()) {
            throw new IOException(
                    "%,d rows have entries in %s; there are %,d rows".formatted(found, name, table.rows()));
        }
    }
}
