package org.diffindex.lab.bench.statistics;

import java.util.Collection;
import java.util.Optional;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;

/**
 * The 95% confidence interval of the geometric mean of a population of which the measured rounds are a sample:
 * Student's t-interval of the logarithms, transformed back.
 *
 * @param low its lower bound
 * @param high its upper bound
 */
public record Interval(double low, double high) {
    /** The smallest number of rounds with an interval; with fewer, it would be too wide to be of use. */
    public static final int FEWEST_ROUNDS = 3;

    private static final double UPPER_QUANTILE = 0.975;

    /**
     * Returns the interval of these values; empty for fewer than {@value #FEWEST_ROUNDS}, or if one is not positive.
     */
    public static Optional<Interval> of(Collection<Double> values) {
        if (values.size() < FEWEST_ROUNDS || values.stream().anyMatch(value -> value <= 0)) {
            return Optional.empty();
        }
        SummaryStatistics logarithms = new SummaryStatistics();
        values.forEach(value -> logarithms.addValue(Math.log(value)));
        if (logarithms.getMin() == logarithms.getMax()) {
            double value = values.iterator().next();
            return Optional.of(new Interval(value, value));
        }
        double quantile = new TDistribution(values.size() - 1.0).inverseCumulativeProbability(UPPER_QUANTILE);
        double half = quantile * logarithms.getStandardDeviation() / Math.sqrt(values.size());
        return Optional.of(new Interval(Math.exp(logarithms.getMean() - half), Math.exp(logarithms.getMean() + half)));
    }

    /** Returns whether every value of this interval is greater than every value of the other. */
    public boolean isAbove(Interval other) {
        return low > other.high;
    }
}
