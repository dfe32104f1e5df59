package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.apache.hbase.thirdparty.com.google.common.collect.Iterables;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;

/**
 * The latency of reads of one row by index after updates that nobody has read: at once, when under sync-insert the reader
 * meets the stale entries of these updates, and when the servers have deleted those that they know of.
 */
final class RewrittenExperiment implements Experiment {
    private static final int MOST_ROWS = 800;
    private static final int MOST_ROWS_IN_QUICK_RUN = 500;
    private static final int MOST_ROUNDS = 3;

    /** The approximate time for which one row is written {@link GoalLoads#REWRITINGS} times, in seconds. */
    private static final double SECONDS_TO_REWRITE = 1.5e-3;

    /** The approximate time of a read that meets as many stale entries, in seconds. */
    private static final double SECONDS_OF_A_READ = 1.5e-3;

    /** The share of the measured time for which reads are repeated. */
    private static final double SHARE = 0.4;

    /** For how long stale entries stay, in seconds: the default of {@code diffindex.stale.delay.ms}, and a little. */
    private static final double SECONDS_TO_CLEAN_UP = 11;

    /** The resolution of latencies, in decimal digits. */
    private static final int DIGITS = 3;

    private static final ExperimentDescription DESCRIPTION = new ExperimentDescription(
            "rewritten",
            "Reads of one row's key and title after ten updates",
            "beyond the paper",
            "Before each round every item is written ten times, each time with the title that another item had. Then one client"
                    + " asks by getByIndex for the row key and the title of the one item of each title, once. \"at once\": under"
                    + " sync-insert ten stale entries stand beside the valid one. \"cleaned up\": the servers have deleted the"
                    + " entries of which they know that a write replaced them, ten seconds after it, or 30 seconds have passed."
                    + " \"no index\" is a Get of the title by a row key that the client knows. Other schemes leave no stale"
                    + " entries.",
            List.of(Plot.byLoad(
                    "rewritten",
                    "Reads of one row after ten updates",
                    Quantity.millis(Measurement.P50, "median latency of a read, ms"))),
            Measurement.OF_CLOSED_LOOP);

    private final Bench bench;
    private final int rows;
    private final Map<Contender, RewrittenTable> tables = new LinkedHashMap<>();

    RewrittenExperiment(Bench bench) {
        this.bench = bench;
        this.rows = Math.min(
                bench.options().quick() ? MOST_ROWS_IN_QUICK_RUN : MOST_ROWS,
                bench.options().rows());
        for (BenchCell cell : cells()) {
            tables.put(cell.contender(), new RewrittenTable(cell.contender(), rows));
        }
    }

    @Override
    public ExperimentDescription description() {
        return DESCRIPTION;
    }

    /** Returns those of no index and of the schemes that leave stale entries; none without such a scheme. */
    @Override
    public List<BenchCell> cells() {
        List<Contender> schemes = bench.options().schemes().stream()
                .filter(contender -> contender.scheme().orElseThrow().leavesStaleEntries())
                .collect(Collectors.toList());
        if (schemes.isEmpty()) {
            return List.of();
        }
        return Stream.concat(
                        BenchCell.ofEach(Contender.withNoIndex(schemes), "at once", GoalLoads.AT_ONCE).stream(),
                        BenchCell.ofEach(schemes, "cleaned up", GoalLoads.CLEANED_UP).stream())
                .toList();
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds();
    }

    @Override
    public double expectedSeconds(BenchCell cell) {
        double reads = meetsStaleEntries(cell) ? rows * SECONDS_OF_A_READ : expectedSeconds() * share(cell);
        return rows * SECONDS_TO_REWRITE + reads + (cell.amount() == GoalLoads.CLEANED_UP ? SECONDS_TO_CLEAN_UP : 0);
    }

    /** Returns less than 1 for reads that can be repeated; there are enough of them in a short time. */
    @Override
    public double share(BenchCell cell) {
        return meetsStaleEntries(cell) || bench.options().quick() ? 1 : SHARE;
    }

    @Override
    public Procedure procedure() {
        return Procedure.SETTLED.with(Procedure.Tables.OWN).withMostRounds(MOST_ROUNDS);
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

    /**
     * Reads each title once, whatever the time to measure, if its second reader would meet no stale entry; otherwise again
     * and again.
     */
    @Override
    public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
        RewrittenTable table = tables.get(cell.contender());
        Random random = bench.random(name(), cell.load(), round, 0);
        table.rewrite(bench.connection(), GoalLoads.REWRITINGS, random);
        if (cell.amount() == GoalLoads.CLEANED_UP) {
            table.awaitCleanUp(bench.connection());
        }
        List<Integer> items = IntStream.range(0, table.rows()).boxed().collect(Collectors.toCollection(ArrayList::new));
        Collections.shuffle(items, random);
        Iterator<Integer> next = meetsStaleEntries(cell)
                ? items.iterator()
                : Iterables.cycle(items).iterator();
        try (Load.Client client = table.reader(bench.connection(), Projection.TITLE, next::next)) {
            Histogram nanos = new Histogram(DIGITS);
            long begin = System.nanoTime();
            while (next.hasNext() && (meetsStaleEntries(cell) || System.nanoTime() - begin < seconds * 1e9)) {
                long start = System.nanoTime();
                client.operate();
                nanos.recordValue(System.nanoTime() - start);
            }
            return Measurement.of(nanos, nanos.getTotalCount(), (System.nanoTime() - begin) / 1e9);
        }
    }

    private static boolean meetsStaleEntries(BenchCell cell) {
        return cell.contender().scheme().isPresent() && cell.amount() == GoalLoads.AT_ONCE;
    }
}
