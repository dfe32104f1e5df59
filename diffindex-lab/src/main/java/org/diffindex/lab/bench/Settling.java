package org.diffindex.lab.bench;

import java.util.Map;
import java.util.OptionalDouble;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Measurement;

/**
 * Decides from warm-up rounds whether the figures have settled. They have settled if, twice in a row, the geometric
 * mean over the cells given of the ratio of the median latency to that of the previous round is close to 1. Single cells
 * fluctuate with the load of the machine, and a single match may be chance. For one thread.
 */
final class Settling {
    /** The mean is close to 1 if it differs from 1 by less than this. */
    private static final double NEAR = 0.05;

    private static final int IN_A_ROW = 2;

    private Map<BenchCell, Measurement> before = Map.of();
    private int nearInARow;

    /** Adds a round, and returns whether the figures have settled; they never have after the first two rounds. */
    boolean isSettledBy(Map<BenchCell, Measurement> round) {
        boolean near = !before.isEmpty() && Math.abs(meanChange(round) - 1) < NEAR;
        nearInARow = near ? nearInARow + 1 : 0;
        before = Map.copyOf(round);
        return nearInARow >= IN_A_ROW;
    }

    /** Returns the mean ratio; NaN, which never counts as close, if a figure of either round is missing. */
    private double meanChange(Map<BenchCell, Measurement> round) {
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
