package org.diffindex.lab.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class MeasurementTest {
    private static Measurement atRate(double target, double reached, double notStarted) {
        return Measurement.empty()
                .with(Measurement.TARGET, target)
                .with(Measurement.PER_SECOND, reached)
                .with(Measurement.NOT_STARTED, notStarted);
    }

    /** There is one operation of each latency from 1 to 1,000 microseconds. */
    @Test
    void latenciesAreInMicrosecondsAndTheRateCountsCompletedOperations() {
        Histogram nanos = new Histogram(3);
        for (int micros = 1; micros <= 1_000; micros++) {
            nanos.recordValue(micros * 1_000L);
        }
        Measurement measurement = Measurement.of(nanos, 900, 3);
        assertThat(measurement.value(Measurement.P50).orElseThrow()).isCloseTo(500, within(1.0));
        assertThat(measurement.value(Measurement.P95).orElseThrow()).isCloseTo(950, within(1.0));
        assertThat(measurement.value(Measurement.P99).orElseThrow()).isCloseTo(990, within(1.0));
        assertThat(measurement.value(Measurement.P999).orElseThrow()).isCloseTo(999, within(1.0));
        assertThat(measurement.value(Measurement.MAX).orElseThrow()).isCloseTo(1_000, within(1.0));
        assertThat(measurement.value(Measurement.PER_SECOND)).hasValue(300);
        assertThat(measurement.value(Measurement.OPERATIONS)).hasValue(900);
        assertThat(measurement.value(Measurement.SECONDS)).hasValue(3);
    }

    @Test
    void aRateIsReachedIfNearlyAllOperationsCameAndNoneWasGivenUp() {
        assertThat(atRate(1_000, 900, 0).isAtItsRate()).isTrue();
        assertThat(atRate(1_000, 899, 0).isAtItsRate()).isFalse();
        assertThat(atRate(1_000, 1_000, 1).isAtItsRate()).isFalse();
    }

    @Test
    void withoutATargetEveryRateIsReached() {
        assertThat(Measurement.empty().with(Measurement.PER_SECOND, 1).isAtItsRate())
                .isTrue();
        assertThat(Measurement.empty().isAtItsRate()).isTrue();
        assertThat(Measurement.empty().with(Measurement.TARGET, 1_000).isAtItsRate())
                .as("the throughput was not measured")
                .isTrue();
    }

    @Test
    void aValueIsAddedToACopy() {
        Map<String, Double> values = new HashMap<>(Map.of("a", 1.0));
        Measurement one = new Measurement(values);
        values.put("a", 5.0);
        Measurement two = one.with("b", 2).with("a", 3);
        assertThat(one.values()).containsExactly(Map.entry("a", 1.0));
        assertThat(two.values()).containsExactly(Map.entry("a", 3.0), Map.entry("b", 2.0));
        assertThat(one.value("b")).isEmpty();
    }
}
