package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.lab.bench.Plot.Quantity;
import org.diffindex.model.IndexScheme;

/** The time of range reads by index, from 40 entries to 40,000, beside a plain scan of as many rows of an index table. */
final class RangeExperiment implements Experiment {
    /** The largest range, of which the goals speak. */
    static final int MOST_ENTRIES = 40_000;

    private static final int FEWEST_ENTRIES = 40;

    private final Bench bench;

    RangeExperiment(Bench bench) {
        this.bench = bench;
    }

    @Override
    public String name() {
        return "range";
    }

    @Override
    public String title() {
        return "Range reads";
    }

    @Override
    public String source() {
        return "figure 9 of the paper";
    }

    @Override
    public String explanation() {
        return "One client reads so many entries in the order of titles, row keys and titles only, 1,000 a call; \"no"
                + " index\" is a plain scan of as many rows of the index table of sync-full (or of the first scheme), which"
                + " returns the same. Under sync-insert each page of entries takes another call to each server, for the rows'"
                + " titles.";
    }

    @Override
    public List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (int entries : entries(bench.options().rows(), bench.options().quick())) {
            for (Contender contender : bench.options().contenders()) {
                cells.add(new Cell(contender, "%,d entries".formatted(entries), entries));
            }
        }
        return cells;
    }

    /** Ten times as many from load to load, or a hundred times in haste, and at the end as many as there can be. */
    static List<Integer> entries(int rows, boolean quick) {
        int most = Math.min(rows, MOST_ENTRIES);
        List<Integer> entries = new ArrayList<>();
        for (int each = quick ? 10 * FEWEST_ENTRIES : FEWEST_ENTRIES; each < most; each *= quick ? 100 : 10) {
            entries.add(each);
        }
        entries.add(most);
        return entries;
    }

    @Override
    public List<Plot> plots() {
        return List.of(Plot.of(
                "range",
                "Range reads: time over number of entries",
                Quantity.log("entries", "entries read"),
                Quantity.millis(Measurement.P50, "median time of a read, ms")));
    }

    @Override
    public List<String> columns() {
        return List.of(Measurement.P50, Measurement.P95, Measurement.OPERATIONS);
    }

    @Override
    public boolean compactsTables() {
        return true;
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() + 0.3;
    }

    @Override
    public Measurement run(Cell cell, int round, double seconds) throws IOException {
        int entries = (int) cell.amount();
        var random = bench.random(name(), cell.load(), round, 0);
        // The beginning of a region, if it surely holds so many.
        int regions = entries > bench.options().rows() / (2 * BenchTables.REGIONS) ? 1 : BenchTables.REGIONS;
        Load.Done done =
                Load.closed(1, seconds).run(thread -> client(cell.contender(), entries, () -> random.nextInt(regions)));
        return Measurement.of(done, done.secondsUntilNow()).with("entries", entries);
    }

    private Load.Client client(Contender contender, int entries, IntSupplier region) throws IOException {
        return contender.scheme().isEmpty()
                ? RangeClient.plain(bench, ofPlainScan(), entries, region)
                : RangeClient.byIndex(bench, bench.tables().of(contender), entries, region);
    }

    private TableName ofPlainScan() {
        List<Contender> schemes = bench.options().schemes();
        Contender full = Contender.of(IndexScheme.SYNC_FULL);
        Contender from = schemes.contains(full) ? full : schemes.get(0);
        return bench.tables().of(from).definitions().get(0).indexTable();
    }
}
