package org.diffindex.lab.bench.experiments;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.diffindex.lab.bench.statistics.Contender;

/**
 * A load of {@link RateExperiment}: the rate at which clients start operations.
 *
 * @param text its name in the report
 * @param kind the way in which the rate is determined
 * @param amount the percentage, or the operations per second; 0 for a closed loop
 */
record RateLoad(String text, Kind kind, double amount) {
    /** The rate common to all contenders, in percent of the closed loop's throughput of the slowest contender. */
    static final int COMMON_PERCENT = 70;

    private static final List<Integer> PERCENTS = List.of(50, 70);

    /** The ways to determine a rate. */
    enum Kind {
        /** No rate: a closed loop. */
        CLOSED,
        /** A share of the throughput of the contender in the closed loop of the same round. */
        SHARE,
        /** A share of the lowest throughput of any contender in that closed loop; the same rate for all. */
        COMMON,
        /** A rate set by an option; the same for all. */
        GIVEN
    }

    /**
     * Returns the loads of a run: the closed loop, followed by the given rates, or by shares of the closed loop's
     * throughput if none are given.
     *
     * @param rates the given rates, in operations per second; empty for shares
     * @param quick whether to measure only the largest share
     */
    static List<RateLoad> of(List<Integer> rates, boolean quick) {
        List<RateLoad> loads = new ArrayList<>(List.of(new RateLoad("closed loop", Kind.CLOSED, 0)));
        rates.forEach(rate -> loads.add(new RateLoad("%,d a second".formatted(rate), Kind.GIVEN, rate)));
        if (rates.isEmpty()) {
            List<Integer> percents = quick ? PERCENTS.subList(1, 2) : PERCENTS;
            percents.forEach(percent -> loads.add(new RateLoad(percent + "% of its highest", Kind.SHARE, percent)));
            if (!quick) {
                loads.add(new RateLoad("same rate", Kind.COMMON, COMMON_PERCENT));
            }
        }
        return loads;
    }

    /**
     * Returns the rate in operations per second; empty for a closed loop.
     *
     * @param reached the throughput of each contender in the closed loop of the same round
     */
    OptionalDouble perSecond(Contender contender, Map<Contender, Double> reached) {
        return switch (kind) {
            case CLOSED -> OptionalDouble.empty();
            case SHARE -> OptionalDouble.of(amount / 100 * reached.get(contender));
            case COMMON ->
                OptionalDouble.of(amount
                        / 100
                        * reached.values().stream()
                                .mapToDouble(Double::doubleValue)
                                .min()
                                .orElseThrow());
            case GIVEN -> OptionalDouble.of(amount);
        };
    }
}
