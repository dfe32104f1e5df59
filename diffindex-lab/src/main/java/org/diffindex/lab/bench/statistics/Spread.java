package org.diffindex.lab.bench.statistics;

import java.util.Collection;
import java.util.Optional;

/**
 * The distribution of a value over rounds.
 *
 * @param median the median; the mean of the two middle values if their number is even
 * @param lowest the minimum
 * @param highest the maximum
 * @param rounds the number of rounds
 * @param interval the confidence interval of the mean; empty if there are too few rounds for one, or if the mean is the
 *     geometric one and a round is not positive
 */
public record Spread(double median, double lowest, double highest, int rounds, Optional<Interval> interval) {
    /**
     * Returns the spread of some values, with the interval of their geometric mean.
     *
     * @throws IllegalArgumentException if there are none
     */
    public static Spread of(Collection<Double> values) {
        return of(values, Interval.of(values));
    }

    /**
     * Returns the spread of some shares, with the interval of their arithmetic mean.
     *
     * @throws IllegalArgumentException if there are none
     */
    public static Spread ofShares(Collection<Double> shares) {
        return of(shares, Interval.ofShares(shares));
    }

    private static Spread of(Collection<Double> values, Optional<Interval> interval) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("The spread of no values is undefined");
        }
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1], sorted.length, interval);
    }

    /** Returns the spread in another unit. */
    public Spread times(double factor) {
        return new Spread(
                median * factor,
                lowest * factor,
                highest * factor,
                rounds,
                interval.map(each -> new Interval(each.low() * factor, each.high() * factor)));
    }
}
