package org.diffindex.lab.bench;

import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;

/**
 * Where the values of several rounds lie.
 *
 * @param median the middle one; of an even number, the mean of the two in the middle
 * @param lowest the smallest
 * @param highest the largest
 * @param interval where the mean of many more rounds would lie; empty if there are too few to tell
 */
record Spread(double median, double lowest, double highest, Optional<Interval> interval) {
    /**
     * The spread of some values.
     *
     * @throws IllegalArgumentException if there is none
     */
    static Spread of(Collection<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("No value, so no median");
        }
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1], Interval.of(values));
    }

    /** The same in another unit. */
    Spread times(double factor) {
        return new Spread(
                median * factor,
                lowest * factor,
                highest * factor,
                interval.map(each -> new Interval(each.low() * factor, each.high() * factor)));
    }

    /** The median alone, of values that are known to be there. */
    static double median(double... values) {
        return of(Arrays.stream(values).boxed().toList()).median();
    }
}
