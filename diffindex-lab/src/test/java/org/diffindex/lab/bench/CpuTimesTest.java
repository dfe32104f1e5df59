package org.diffindex.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.OptionalDouble;
import org.diffindex.lab.bench.statistics.Measurement;
import org.junit.jupiter.api.Test;

class CpuTimesTest {
    private static final Measurement TWO_OPERATIONS = Measurement.empty().with(Measurement.OPERATIONS, 2);

    private static CpuTimes times(double client, Map<Long, OptionalDouble> servers) {
        return new CpuTimes(OptionalDouble.of(client), servers);
    }

    private static OptionalDouble nanos(double nanos) {
        return OptionalDouble.of(nanos);
    }

    @Test
    void anOperationGetsItsShareOfTheProcessorTimeUsed() {
        CpuTimes before = times(5_000, Map.of(1L, nanos(10_000), 2L, nanos(0)));
        CpuTimes after = times(9_000, Map.of(1L, nanos(16_000), 2L, nanos(8_000)));
        assertThat(after.perOperation(TWO_OPERATIONS, before))
                .isEqualTo(TWO_OPERATIONS.with(Measurement.CLIENT_CPU, 2).with(Measurement.SERVER_CPU, 7));
    }

    @Test
    void reportsNothingIfAServerStartedOrEnded() {
        CpuTimes before = times(0, Map.of(1L, nanos(10_000)));
        CpuTimes after = times(1_000, Map.of(2L, nanos(1_000)));
        assertThat(after.perOperation(TWO_OPERATIONS, before)).isEqualTo(TWO_OPERATIONS);
    }

    @Test
    void reportsNoServerTimeIfTheSystemHasNone() {
        CpuTimes before = times(0, Map.of(1L, OptionalDouble.empty()));
        CpuTimes after = times(1_000, Map.of(1L, nanos(1_000)));
        assertThat(after.perOperation(TWO_OPERATIONS, before))
                .isEqualTo(TWO_OPERATIONS.with(Measurement.CLIENT_CPU, 0.5));
    }

    @Test
    void leavesAMeasurementWithoutOperationsUnchanged() {
        CpuTimes times = times(0, Map.of());
        assertThat(times.perOperation(Measurement.empty(), times)).isEqualTo(Measurement.empty());
        Measurement none = Measurement.empty().with(Measurement.OPERATIONS, 0);
        assertThat(times.perOperation(none, times)).isEqualTo(none);
    }
}
