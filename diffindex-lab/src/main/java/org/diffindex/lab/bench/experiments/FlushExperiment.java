package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;
import org.diffindex.lab.steps.Parallel;

/**
 * The duration of flushes under updates; a flush of an asynchronously indexed table waits, for a bounded time, until
 * the AUQ is drained. All contenders are updated at the same rate, so that each flush writes the same amount of data.
 */
final class FlushExperiment implements Experiment {
    private static final String LONGEST = "flush_max_ms";
    private static final int CLIENTS = 8;

    /** The rate, as a share of the highest rate of the slowest contender. */
    private static final double SHARE = 0.7;

    /** The time for which each highest rate is measured, as a share of the time of a cell. */
    private static final double CALIBRATION = 0.5;

    private static final ExperimentDescription DESCRIPTION = new ExperimentDescription(
            "flush",
            "Flushes",
            "beyond the paper; section 5.3 has the reason",
            "8 clients update at the same rate for all contenders, 70% of the highest rate of the slowest, while each region of"
                    + " the table is flushed twice. The delay caused by draining is the difference to the flush without index."
                    + " Latencies of puts count from the intended start.",
            List.of(Plot.byLoad(
                    "flush",
                    "Flushes of a region under updates",
                    Quantity.log(Measurement.FLUSH_P50, "median time of a flush, ms"))),
            List.of(
                    Measurement.FLUSH_P50,
                    LONGEST,
                    Measurement.P50,
                    Measurement.P99,
                    Measurement.P999,
                    Measurement.MAX,
                    Measurement.TARGET,
                    Measurement.NOT_STARTED));

    /** A round flushes many regions. */
    private static final int MOST_ROUNDS = 3;

    private final Bench bench;
    private final HighestRates highest;

    FlushExperiment(Bench bench) {
        this.bench = bench;
        this.highest = new HighestRates(bench, name(), CLIENTS);
    }

    @Override
    public ExperimentDescription description() {
        return DESCRIPTION;
    }

    @Override
    public List<BenchCell> cells() {
        return BenchCell.ofEach(bench.options().contenders(), UpdateExperiment.clients(CLIENTS), CLIENTS);
    }

    @Override
    public Procedure procedure() {
        return Procedure.USUAL.with(Procedure.WarmUp.NONE).withMostRounds(MOST_ROUNDS);
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() * 1.2 + 1.5;
    }

    @Override
    public double secondsToPrepare() {
        return HighestRates.TURNS * CALIBRATION * bench.options().seconds() * cells().size();
    }

    /** Measures the highest rates, which determine the rate of updates. */
    @Override
    public void prepare() throws IOException {
        highest.measure(
                bench.options().contenders(), CALIBRATION * bench.options().seconds());
    }

    @Override
    public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
        BenchTable table = bench.tables().of(cell.contender());
        double rate = SHARE * highest.lowest();
        Histogram flushes = new Histogram(3);
        List<Measurement> puts = new ArrayList<>();
        List<Callable<Void>> both = List.of(
                () -> {
                    Load.Done done = Load.paced(CLIENTS, rate, seconds)
                            .run(bench.updates(table, name(), cell.load(), CLIENTS, round));
                    puts.add(done.measurement());
                    table.drain(bench.connection());
                    return null;
                },
                () -> {
                    long pause = (long) (seconds / 3 * TimeUnit.SECONDS.toNanos(1));
                    LockSupport.parkNanos(pause);
                    flush(table, flushes);
                    LockSupport.parkNanos(pause);
                    flush(table, flushes);
                    return null;
                });
        Parallel.run(both.size(), both);
        return puts.get(0)
                .with(Measurement.FLUSH_P50, flushes.getValueAtPercentile(50) / 1e6)
                .with(LONGEST, flushes.getMaxValue() / 1e6);
    }

    private void flush(BenchTable table, Histogram nanos) throws IOException {
        try (Admin admin = bench.connection().getAdmin()) {
            for (RegionInfo region : admin.getRegions(table.name())) {
                long start = System.nanoTime();
                admin.flushRegion(region.getRegionName());
                nanos.recordValue(System.nanoTime() - start);
            }
        }
    }
}
