package org.diffindex.lab.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class AxisTest {
    @Test
    void aLinearAxisGoesFromZeroToARoundNumberAboveAllValues() {
        Axis axis = Axis.linear(DoubleStream.of(3, 4_321));
        assertThat(axis).isEqualTo(new Axis(0, 5_000, false));
        assertThat(axis.ticks()).containsExactly(0.0, 1_000.0, 2_000.0, 3_000.0, 4_000.0, 5_000.0);
        assertThat(axis.place(2_500)).isEqualTo(0.5);
    }

    @Test
    void aLogarithmicAxisEndsAtMarks() {
        Axis axis = Axis.log(DoubleStream.of(0.34, 12));
        assertThat(axis.from()).isCloseTo(0.2, within(1e-9));
        assertThat(axis.to()).isCloseTo(20, within(1e-9));
        assertThat(axis.place(2)).isCloseTo(0.5, within(1e-9));
        assertThat(axis.ticks()).hasSize(7);
    }

    @Test
    void aLogarithmicAxisPlacesZeroAtItsStart() {
        assertThat(Axis.log(DoubleStream.of(0, 5)).place(0)).isZero();
        assertThat(Axis.log(DoubleStream.of(0)).ticks()).isNotEmpty();
    }

    @Test
    void aSingleValueHasAnAxis() {
        assertThat(Axis.linear(DoubleStream.of(0)).place(0)).isZero();
        assertThat(Axis.log(DoubleStream.of(10)).to()).isGreaterThan(10);
    }
}
