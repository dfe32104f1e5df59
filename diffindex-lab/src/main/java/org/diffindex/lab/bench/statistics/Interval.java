package org.diffindex.lab.bench.statistics;

import java.util.Collection;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;

/**
 * The 95% confidence interval of the mean of a population of which the measured rounds are a sample: Student's
 * t-interval.
 *
 * @param low its lower bound
 * @param high its upper bound
 */
public record Interval(double low, double high) {
    /** The smallest number of rounds with an interval; with fewer, it would be too wide to be of use. */
    public static final int FEWEST_ROUNDS = 3;

    private static final double UPPER_QUANTILE = 0.975;

    /**
     * Returns the interval of the geometric mean, that of the logarithms transformed back; empty for fewer than
     * {@value #FEWEST_ROUNDS} values, or if one is not positive.
     */
    public static Optional<Interval> of(Collection<Double> values) {
        return values.stream().allMatch(value -> value > 0) ? of(values, Math::log, Math::exp) : Optional.empty();
    }

    /**
     * Returns the interval of the arithmetic mean of shares, which may be zero; empty for fewer than
     * {@value #FEWEST_ROUNDS}.
     */
    public static Optional<Interval> ofShares(Collection<Double> shares) {
        return of(shares, DoubleUnaryOperator.identity(), DoubleUnaryOperator.identity());
    }

    private static Optional<Interval> of(
            Collection<Double> values, DoubleUnaryOperator transformed, DoubleUnaryOperator back) {
        if (values.size() < FEWEST_ROUNDS) {
            return Optional.empty();
        }
        SummaryStatistics statistics = new SummaryStatistics();
        values.forEach(value -> statistics.addValue(transformed.applyAsDouble(value)));
        if (statistics.getMin() == statistics.getMax()) {
            double value = values.iterator().next();
            return Optional.of(new Interval(value, value));
        }
        double quantile = new TDistribution(values.size() - 1.0).inverseCumulativeProbability(UPPER_QUANTILE);
        double half = quantile * statistics.getStandardDeviation() / Math.sqrt(values.size());
        return Optional.of(new Interval(
                back.applyAsDouble(statistics.getMean() - half), back.applyAsDouble(statistics.getMean() + half)));
    }

    /** Returns whether every value of this interval is greater than every value of the other. */
    public boolean isAbove(Interval other) {
        return low > other.high;
    }
}
