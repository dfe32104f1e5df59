package org.diffindex.lab.bench;

import java.util.Collection;
import java.util.Optional;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;

/**
 * Where the geometric mean lies, with a confidence of 95%, of the values of which those of some rounds are a sample: Student's
 * interval of their logarithms.
 *
 * @param low its lower end
 * @param high its upper end
 */
record Interval(double low, double high) {
    /** With fewer the interval is so wide that it says nothing. */
    static final int FEWEST_ROUNDS = 3;

    private static final double UPPER_QUANTILE = 0.975;

    /** Of the values of at least {@value #FEWEST_ROUNDS} rounds, all above 0; else empty. */
    static Optional<Interval> of(Collection<Double> values) {
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
}
