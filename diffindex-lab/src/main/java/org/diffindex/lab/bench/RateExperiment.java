package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.diffindex.lab.bench.Plot.Quantity;

/**
 * The latency of updates, or of reads, at given rates, beside that of a closed loop. In a closed loop a client that waits asks
 * for nothing meanwhile, so that a stall is one slow operation; at a rate it is one for each that should have come.
 */
final class RateExperiment implements Experiment {
    private static final int CLIENTS = 8;

    /** In haste each cell is measured for so much of the time. */
    private static final double SHARE_IN_HASTE = 0.5;

    private final Bench bench;
    private final boolean updates;
    private final Map<Cell, RateLoad> loads = new LinkedHashMap<>();

    /** Operations a second in the closed loop of the present round, which comes before the rates. */
    private final Map<Contender, Double> reached = new HashMap<>();

    private RateExperiment(Bench bench, boolean updates) {
        this.bench = bench;
        this.updates = updates;
        for (RateLoad load :
                RateLoad.of(bench.options().rates(), bench.options().quick())) {
            for (Contender contender : bench.options().contenders()) {
                loads.put(new Cell(contender, load.text(), load.amount()), load);
            }
        }
    }

    static RateExperiment updates(Bench bench) {
        return new RateExperiment(bench, true);
    }

    static RateExperiment reads(Bench bench) {
        return new RateExperiment(bench, false);
    }

    @Override
    public String name() {
        return updates ? "update-rate" : "read-rate";
    }

    private String operations() {
        return updates ? "updates" : "reads";
    }

    @Override
    public String title() {
        return updates ? "Updates at given rates" : "Reads at given rates";
    }

    @Override
    public String source() {
        return "beyond the paper";
    }

    @Override
    public String explanation() {
        return CLIENTS + " clients do " + operations() + (updates ? " of whole rows" : " of a row's key and title")
                + " at times that are fixed before; a latency counts from such a time, so that a stall counts for all that should"
                + " have come meanwhile. " + rates()
                + (updates ? " per_second is without the time to drain, but for the closed loop." : "")
                + " not_started are operations that were given up since those before them took too long; they count as slow"
                + " ones. p999_us of fewer than 1,000 operations is the slowest.";
    }

    private String rates() {
        if (!bench.options().rates().isEmpty()) {
            return "The rates are those that were asked for, the same for all.";
        }
        boolean common = loads.values().stream().anyMatch(load -> load.kind() == RateLoad.Kind.COMMON);
        return "Rates are shares of what the same contender reaches in the closed loop of the same round"
                + (updates ? ", drained" : "")
                + (common
                        ? "; the \"same rate\" is " + RateLoad.COMMON_PERCENT + "% of what the slowest reaches there."
                        : ".");
    }

    @Override
    public List<Cell> cells() {
        return List.copyOf(loads.keySet());
    }

    @Override
    public List<Plot> plots() {
        return List.of(
                plot("", Measurement.P99, "99th percentile"),
                plot("-p50", Measurement.P50, "median"),
                plot("-p999", Measurement.P999, "99.9th percentile"));
    }

    private Plot plot(String suffix, String value, String text) {
        return Plot.byLoad(
                name() + suffix, title() + ": " + text, Quantity.millis(value, text + " of the latency, ms"));
    }

    @Override
    public List<String> columns() {
        return List.of(
                Measurement.TARGET,
                Measurement.PER_SECOND,
                Measurement.P50,
                Measurement.P99,
                Measurement.P999,
                Measurement.OPERATIONS,
                Measurement.NOT_STARTED);
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() * bench.options().share(SHARE_IN_HASTE) * (updates ? 1.1 : 1);
    }

    @Override
    public boolean warmsUpUntilSettled() {
        return true;
    }

    @Override
    public boolean compactsTables() {
        return !updates;
    }

    @Override
    public Measurement run(Cell cell, int round, double seconds) throws IOException {
        BenchTable table = bench.tables().of(cell.contender());
        OptionalDouble rate = loads.get(cell).perSecond(cell.contender(), reached);
        Load.Clients clients = updates
                ? bench.updates(table, name(), cell.load(), CLIENTS, round)
                : bench.reads(table, Projection.TITLE, name(), cell.load(), CLIENTS, round);
        if (rate.isPresent()) {
            return paced(
                    clients,
                    table,
                    rate.getAsDouble(),
                    seconds * bench.options().share(SHARE_IN_HASTE));
        }
        Load.Done done = Load.closed(CLIENTS, seconds * bench.options().share(SHARE_IN_HASTE))
                .run(clients);
        Measurement measured = updates ? bench.drained(done, table) : Measurement.of(done, done.secondsUntilNow());
        measured.value(Measurement.PER_SECOND).ifPresent(each -> reached.put(cell.contender(), each));
        return measured;
    }

    private Measurement paced(Load.Clients clients, BenchTable table, double rate, double seconds) throws IOException {
        Load.Done done = Load.paced(CLIENTS, rate, seconds).run(clients);
        Measurement measured = Measurement.paced(done, done.secondsUntilNow(), rate);
        if (updates) {
            table.drain(bench.connection());
        }
        return measured;
    }
}
