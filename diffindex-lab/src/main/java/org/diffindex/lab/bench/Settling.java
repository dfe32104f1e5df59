package org.diffindex.lab.bench;

import java.util.Map;
import java.util.OptionalDouble;

/**
 * Tells from rounds that warm up whether the figures have settled: twice in a row, over all cells, the geometric mean of
 * median latency to that of the round before is near 1. A single cell always differs, by what else the machine does, and once
 * may be by chance. For one thread.
 */
final class Settling {
    /** So near is near, either way. */
    private static final double NEAR = 0.05;

    private static final int IN_A_ROW = 2;

    private Map<Cell, Measurement> before = Map.of();
    private int nearInARow;

    /** Takes in a round, which replaces the one before; whether the figures have settled with it. Neither of the first two does. */
    boolean isSettledBy(Map<Cell, Measurement> round) {
        boolean near = !before.isEmpty() && Math.abs(meanChange(round) - 1) < NEAR;
        nearInARow = near ? nearInARow + 1 : 0;
        before = Map.copyOf(round);
        return nearInARow >= IN_A_ROW;
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
