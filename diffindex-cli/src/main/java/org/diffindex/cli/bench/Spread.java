package org.diffindex.cli.bench;

import java.util.Arrays;
import java.util.Collection;

/**
 * Where the values of several rounds lie.
 *
 * @param median the middle one; of an even number, the mean of the two in the middle
 * @param lowest the smallest
 * @param highest the largest
 */
record Spread(double median, double lowest, double highest) {
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
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }

    /** The median alone, of values that are known to be there. */
    static double median(double... values) {
        return of(Arrays.stream(values).boxed().toList()).median();
    }
}
