package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.diffindex.lab.bench.Plot.Quantity;
import org.diffindex.lab.steps.Parallel;

/**
 * The time of flushes under updates: those of asynchronously indexed tables wait for the AUQ. All contenders are updated at the
 * same rate, so that there is the same to flush.
 */
final class FlushExperiment implements Experiment {
    static final String FLUSH = "flush_p50_ms";

    private static final int CLIENTS = 8;

    /** The rate, as a share of the highest rate of the slowest contender. */
    private static final double SHARE = 0.7;

    private static final double CALIBRATION = 0.5;

    private final Bench bench;
    private final HighestRates highest;

    FlushExperiment(Bench bench) {
        this.bench = bench;
        this.highest = new HighestRates(bench, name(), CLIENTS);
    }

    @Override
    public String name() {
        return "flush";
    }

    @Override
    public String title() {
        return "Flushes";
    }

    @Override
    public String source() {
        return "beyond the paper; section 5.3 has the reason";
    }

    @Override
    public String explanation() {
        return "8 clients update at one rate for all, 70% of the highest of the slowest contender, while each region of the table"
                + " is flushed, twice; the delay by draining is what a flush takes longer than without index. Latencies of puts"
                + " count from the start that the rate intends.";
    }

    @Override
    public List<Cell> cells() {
        return bench.options().contenders().stream()
                .map(contender -> new Cell(contender, CLIENTS + " clients", CLIENTS))
                .toList();
    }

    @Override
    public List<Plot> plots() {
        return List.of(Plot.byLoad(
                "flush", "Flushes of a region under updates", Quantity.log(FLUSH, "median time of a flush, ms")));
    }

    @Override
    public List<String> columns() {
        return List.of(
                FLUSH,
                "flush_max_ms",
                Measurement.P50,
                Measurement.P99,
                Measurement.P999,
                Measurement.MAX,
                Measurement.TARGET,
                Measurement.NOT_STARTED);
    }

    @Override
    public boolean warmsUp() {
        return false;
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() * 1.2 + 1.5;
    }

    @Override
    public double secondsToPrepare() {
        return CALIBRATION * bench.options().seconds() * cells().size();
    }

    /** Finds the rate. */
    @Override
    public void prepare() throws IOException {
        highest.measure(
                bench.options().contenders(), 1, CALIBRATION * bench.options().seconds());
    }

    @Override
    public Measurement run(Cell cell, int round, double seconds) throws IOException {
        BenchTable table = bench.tables().of(cell.contender());
        double rate = SHARE * highest.lowest();
        Histogram flushes = new Histogram(3);
        List<Measurement> puts = new ArrayList<>();
        List<Callable<Void>> both = List.of(
                () -> {
                    Load.Done done = Load.paced(CLIENTS, rate, seconds)
                            .run(bench.updates(table, name(), cell.load(), CLIENTS, round));
                    puts.add(Measurement.paced(done, done.secondsUntilNow(), rate));
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
                .with(FLUSH, flushes.getValueAtPercentile(50) / 1e6)
                .with("flush_max_ms", flushes.getMaxValue() / 1e6);
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
