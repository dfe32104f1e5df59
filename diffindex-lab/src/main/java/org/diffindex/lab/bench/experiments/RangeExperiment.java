package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;

/** The duration of range reads by index, of 40 to 40,000 entries, compared with plain scans of an index table. */
final class RangeExperiment implements Experiment {
    private static final int FEWEST_ENTRIES = 40;
    private static final String ENTRIES = "entries";

    private static final ExperimentDescription DESCRIPTION = new ExperimentDescription(
            "range",
            "Range reads",
            "figure 9 of the paper",
            "One client reads a range of entries in the order of titles, 1,000 per call, row keys and titles only. \"no index\""
                    + " is a plain scan of as many rows of the index table of sync-full (or of the first scheme), which returns"
                    + " the same data. Under sync-insert each page of entries takes another call to each server, for the"
                    + " titles in the rows. entries_missing is what a read of another system, on average, should have"
                    + " returned and did not.",
            List.of(Plot.of(
                    "range",
                    "Range reads: time over number of entries",
                    Quantity.log(ENTRIES, "entries read"),
                    Quantity.millis(Measurement.P50, "median time of a read, ms"))),
            List.of(Measurement.P50, Measurement.P95, Measurement.OPERATIONS, Measurement.MISSING));

    private final Bench bench;

    RangeExperiment(Bench bench) {
        this.bench = bench;
    }

    @Override
    public ExperimentDescription description() {
        return DESCRIPTION;
    }

    @Override
    public List<BenchCell> cells() {
        return entries(bench.options().rows(), bench.options().quick()).stream()
                .flatMap(entries ->
                        BenchCell.ofEach(bench.options().contenders(name()), "%,d entries".formatted(entries), entries)
                                .stream())
                .toList();
    }

    /**
     * Returns the sizes of the ranges: each ten times the previous one, a hundred times in a quick run; the last is the
     * number of rows, at most {@link GoalLoads#RANGE_ENTRIES}.
     */
    static List<Integer> entries(int rows, boolean quick) {
        int most = Math.min(rows, GoalLoads.RANGE_ENTRIES);
        List<Integer> entries = new ArrayList<>();
        for (int each = quick ? 10 * FEWEST_ENTRIES : FEWEST_ENTRIES; each < most; each *= quick ? 100 : 10) {
            entries.add(each);
        }
        entries.add(most);
        return entries;
    }

    @Override
    public Procedure procedure() {
        return Procedure.SETTLED.with(Procedure.Tables.SHARED_COMPACTED);
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() + 0.3;
    }

    @Override
    public double share(BenchCell cell) {
        return bench.options().shareOf(cell.amount() == GoalLoads.RANGE_ENTRIES);
    }

    @Override
    public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
        int entries = (int) cell.amount();
        Random random = bench.random(name(), cell.load(), round, 0);
        // Start at any region if each certainly holds this many entries, otherwise at the first.
        int regions = entries > bench.options().rows() / (2 * BenchTables.REGIONS) ? 1 : BenchTables.REGIONS;
        RangeClient client = client(cell.contender(), entries, () -> random.nextInt(regions));
        Load.Done done = Load.closed(1, seconds).run(thread -> client);
        Measurement measurement = done.measurement().with(ENTRIES, entries);
        return client.missing().isEmpty()
                ? measurement
                : measurement.with(
                        Measurement.MISSING, (double) client.missing().getAsLong() / done.operations());
    }

    private RangeClient client(Contender contender, int entries, IntSupplier region) throws IOException {
        return contender.equals(Contender.NO_INDEX)
                ? RangeClient.plain(bench, scannedIndex(), entries, region)
                : bench.tables().of(contender).rangeReader(bench.connection(), entries, region);
    }

    private TableName scannedIndex() {
        return bench.tables()
                .of(bench.options().mainScheme())
                .definitions()
                .get(0)
                .indexTable();
    }
}
