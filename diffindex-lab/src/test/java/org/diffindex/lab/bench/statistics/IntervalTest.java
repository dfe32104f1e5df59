package org.diffindex.lab.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class IntervalTest {
    /**
     * By hand: the logarithms have the mean ln 2 and the deviation ln 2, and Student's quantile for two degrees of
     * freedom is 4.3027.
     */
    @Test
    void isStudentsIntervalOfTheLogarithms() {
        Interval interval = Interval.of(List.of(1.0, 2.0, 4.0)).orElseThrow();
        double factor = Math.exp(4.302653 * Math.log(2) / Math.sqrt(3));
        assertThat(interval.low()).isCloseTo(2 / factor, within(1e-5));
        assertThat(interval.high()).isCloseTo(2 * factor, within(1e-4));
    }

    @Test
    void equalValuesHaveAnIntervalWithoutWidth() {
        Interval interval = Interval.of(List.of(1.3, 1.3, 1.3)).orElseThrow();
        assertThat(interval.low()).isCloseTo(1.3, within(1e-9));
        assertThat(interval.high()).isCloseTo(1.3, within(1e-9));
    }

    @Test
    void isAboveAnotherOnlyIfTheyShareNoValue() {
        Interval interval = new Interval(1, 2);
        assertThat(new Interval(2.1, 3).isAbove(interval)).isTrue();
        assertThat(new Interval(2, 3).isAbove(interval)).isFalse();
        assertThat(new Interval(1.5, 1.6).isAbove(interval)).isFalse();
        assertThat(new Interval(0, 0.9).isAbove(interval)).isFalse();
    }

    @Test
    void isEmptyForTooFewValuesOrIfOneIsZero() {
        assertThat(Interval.of(List.of(1.0, 2.0))).isEmpty();
        assertThat(Interval.of(List.of(1.0, 0.0, 2.0))).isEmpty();
    }

    /** By hand: the mean is 0.5, the deviation 0.5, and Student's quantile 4.3027. */
    @Test
    void thatOfSharesIsStudentsIntervalOfTheSharesThemselves() {
        Interval interval = Interval.ofShares(List.of(0.0, 0.5, 1.0)).orElseThrow();
        double half = 4.302653 * 0.5 / Math.sqrt(3);
        assertThat(interval.low()).isCloseTo(0.5 - half, within(1e-5));
        assertThat(interval.high()).isCloseTo(0.5 + half, within(1e-5));
        assertThat(Interval.ofShares(List.of(0.0, 0.0, 0.0))).contains(new Interval(0, 0));
        assertThat(Interval.ofShares(List.of(0.1, 0.2))).isEmpty();
    }

    /** About nineteen in twenty of a thousand samples of five values have an interval that contains the true mean. */
    @Test
    void containsTheMeanAsOftenAsItClaims() {
        Random random = new Random(1);
        int holds = 0;
        for (int i = 0; i < 1_000; i++) {
            List<Double> sample = new ArrayList<>();
            for (int round = 0; round < 5; round++) {
                sample.add(Math.exp(0.1 * random.nextGaussian()));
            }
            Interval interval = Interval.of(sample).orElseThrow();
            holds += interval.low() <= 1 && interval.high() >= 1 ? 1 : 0;
        }
        assertThat(holds).isBetween(930, 970);
    }
}
