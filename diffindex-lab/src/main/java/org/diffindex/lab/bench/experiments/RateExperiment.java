package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;

/**
 * The latency of updates or reads at target rates, compared with that of a closed loop. In a closed loop, a stalled
 * client sends nothing, so a stall shows as one slow operation; at a target rate, the stall delays every operation that
 * comes due meanwhile.
 */
final class RateExperiment implements Experiment {
    private static final int CLIENTS = 8;

    /** The share of its time for which a quick run measures a cell. */
    private static final double SHARE_IN_QUICK_RUN = 0.5;

    private final Bench bench;
    private final boolean updates;
    private final Map<BenchCell, RateLoad> loads = new LinkedHashMap<>();

    /** The throughput of the closed loop, which precedes the rates, in the current round. */
    private final Map<Contender, Double> reached = new HashMap<>();

    private RateExperiment(Bench bench, boolean updates) {
        this.bench = bench;
        this.updates = updates;
        for (RateLoad load :
                RateLoad.of(bench.options().rates(), bench.options().quick())) {
            BenchCell.ofEach(bench.options().contenders(), load.text(), load.amount())
                    .forEach(cell -> loads.put(cell, load));
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

    @Override
    public ExperimentDescription description() {
        return new ExperimentDescription(
                name(),
                title(),
                "beyond the paper",
                explanation(),
                List.of(
                        plot("", Measurement.P99, "99th percentile"),
                        plot("-p50", Measurement.P50, "median"),
                        plot("-p999", Measurement.P999, "99.9th percentile")),
                List.of(
                        Measurement.TARGET,
                        Measurement.PER_SECOND,
                        Measurement.P50,
                        Measurement.P99,
                        Measurement.P999,
                        Measurement.OPERATIONS,
                        Measurement.NOT_STARTED,
                        Measurement.ROW_MEMORY_HIT_SHARE));
    }

    private String title() {
        return updates ? "Updates at given rates" : "Reads at given rates";
    }

    private String explanation() {
        return CLIENTS + " clients perform " + (updates ? "updates of whole rows" : "reads of a row's key and title")
                + " at times fixed in advance. A latency counts from the intended start, so that a stall delays every operation"
                + " that comes due meanwhile. " + rates()
                + (updates ? " per_second excludes the time to drain, except in the closed loop." : "")
                + " not_started are operations given up because earlier ones took too long; they count as slow ones. p999_us of"
                + " fewer than 1,000 operations is the slowest.";
    }

    private String rates() {
        if (!bench.options().rates().isEmpty()) {
            return "The rates are those that --rates gives, the same for all contenders.";
        }
        boolean common = loads.values().stream().anyMatch(load -> load.kind() == RateLoad.Kind.COMMON);
        return "The rates are shares of what the same contender reaches in the closed loop of the same round"
                + (updates ? ", drained" : "")
                + (common
                        ? "; the \"same rate\" is " + RateLoad.COMMON_PERCENT + "% of what the slowest reaches there."
                        : ".");
    }

    private Plot plot(String suffix, String value, String text) {
        return Plot.byLoad(
                name() + suffix, title() + ": " + text, Quantity.millis(value, text + " of the latency, ms"));
    }

    @Override
    public List<BenchCell> cells() {
        return List.copyOf(loads.keySet());
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() * bench.options().share(SHARE_IN_QUICK_RUN) * (updates ? 1.1 : 1);
    }

    @Override
    public double share(BenchCell cell) {
        return bench.options().shareOf(false);
    }

    @Override
    public Procedure procedure() {
        return updates ? Procedure.SETTLED : Procedure.SETTLED.with(Procedure.Tables.SHARED_COMPACTED);
    }

    @Override
    public Optional<TableName> updatedTable(BenchCell cell) {
        return updates ? bench.tables().of(cell.contender()).maintained() : Optional.empty();
    }

    @Override
    public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
        BenchTable table = bench.tables().of(cell.contender());
        OptionalDouble rate = loads.get(cell).perSecond(cell.contender(), reached);
        double measured = seconds * bench.options().share(SHARE_IN_QUICK_RUN);
        Load.Clients clients = updates
                ? bench.updates(table, name(), cell.load(), CLIENTS, round)
                : bench.reads(table, Projection.TITLE, name(), cell.load(), CLIENTS, round);
        return rate.isPresent()
                ? paced(clients, table, rate.getAsDouble(), measured)
                : closed(clients, table, measured);
    }

    private Measurement closed(Load.Clients clients, BenchTable table, double seconds) throws IOException {
        Load.Done done = Load.closed(CLIENTS, seconds).run(clients);
        Measurement measured = updates ? bench.drained(done, table) : done.measurement();
        measured.value(Measurement.PER_SECOND).ifPresent(each -> reached.put(table.contender(), each));
        return measured;
    }

    private Measurement paced(Load.Clients clients, BenchTable table, double rate, double seconds) throws IOException {
        Measurement measured = Load.paced(CLIENTS, rate, seconds).run(clients).measurement();
        if (updates) {
            table.drain(bench.connection());
        }
        return measured;
    }
}
