package org.diffindex.lab.bench.compare;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Interval;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Spread;

/**
 * How much slower or faster the machine was in the second of two runs: the factors by which the median latencies without
 * an index changed. No index explains these.
 *
 * @param factors the factors of all cells without an index that both runs have, at the same rate in every round and of
 *     experiments that completed; empty if there is none
 */
record MachineDrift(Optional<Spread> factors) {
    /** Returns the drift from one run to another. */
    static MachineDrift between(RecordedRun a, RecordedRun b) {
        Map<List<String>, Figure> before = latencies(a);
        Map<List<String>, Figure> after = latencies(b);
        List<Double> factors = before.keySet().stream()
                .filter(after::containsKey)
                .filter(load ->
                        before.get(load).isAtItsRate() && after.get(load).isAtItsRate())
                .filter(load -> before.get(load).isOfTheRateOf(after.get(load)))
                .map(load -> after.get(load).spread().median()
                        / before.get(load).spread().median())
                .toList();
        return new MachineDrift(factors.isEmpty() ? Optional.empty() : Optional.of(Spread.of(factors)));
    }

    /** Returns the latencies without an index in the experiments that completed, by experiment and load. */
    private static Map<List<String>, Figure> latencies(RecordedRun run) {
        Map<List<String>, Figure> latencies = new HashMap<>();
        for (RecordedExperiment experiment : run.completed()) {
            for (CellResult baseline : experiment.baselines()) {
                baseline.spread(Measurement.P50)
                        .filter(p50 -> p50.median() > 0)
                        .ifPresent(p50 -> latencies.put(
                                List.of(experiment.name(), baseline.cell().load()),
                                new Figure(p50, RequestedRates.of(baseline))));
            }
        }
        return latencies;
    }

    /** Returns the range of factors that the machine may explain; always contains 1. */
    Interval range() {
        return factors.map(spread -> new Interval(Math.min(1, spread.lowest()), Math.max(1, spread.highest())))
                .orElse(new Interval(1, 1));
    }
}
