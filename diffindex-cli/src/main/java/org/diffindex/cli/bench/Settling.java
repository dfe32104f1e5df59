package org.diffindex.cli.bench;

import java.util.Map;
import java.util.OptionalDouble;

/**
 * Tells from rounds that warm up whether the figures have settled: over all cells, the geometric mean of median latency to
 * that of the round before is near 1. A single cell always differs, by what else the machine does. For one thread.
 */
final class Settling {
    /** So near is near, either way. */
    private static final double NEAR = 0.05;

    private Map<Cell, Measurement> before = Map.of();

    /** Takes in a round, which replaces the one before; whether the figures have settled with it. The first never settles. */
    boolean isSettledBy(Map<Cell, Measurement> round) {
        boolean settled = !before.isEmpty() && Math.abs(meanChange(round) - 1) < NEAR;
        before = Map.copyOf(round);
        return settled;
    }

    /** NaN, which is near nothing, if a figure of either round is missing. */
    private double meanChange(Map<Cell, Measurement> round) {
        double logarithms = round.entrySet().stream()
                .mapToDouble(each -> Math.log(p50(each.getValue()) / p50(before.get(each.getKey()))))
                .sum();
        return Math.exp(logarithms / round.size());
    }

    private static double p50(Measurement measured) {
        OptionalDouble p50 = measured == null ? OptionalDouble.empty() : measured.value(Measurement.P50);
        return p50.orElse(Double.NaN);
    }
}
