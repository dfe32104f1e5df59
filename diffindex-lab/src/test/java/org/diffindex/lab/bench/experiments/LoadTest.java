package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.diffindex.lab.bench.statistics.Measurement;
import org.junit.jupiter.api.Test;

class LoadTest {
    private static final long STALL = TimeUnit.MILLISECONDS.toNanos(150);

    /** Returns a client whose first operation, and no other, takes a while. */
    private static Load.Client stalling() {
        return new Load.Client() {
            private boolean stalled;

            @Override
            public void operate() {
                if (!stalled) {
                    pause(STALL);
                    stalled = true;
                }
            }
        };
    }

    private static void pause(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    private static long slow(Load.Done done) {
        return done.nanos().getCountBetweenValues(STALL / 3, Long.MAX_VALUE);
    }

    @Test
    void aStallDelaysOneOperationInAClosedLoopAndEveryDueOperationAtARate() throws IOException {
        Load.Done closed = Load.closed(1, 0.2).run(thread -> stalling());
        assertThat(slow(closed))
                .as("slow operations, with other delays of a thread within 0.2 s")
                .isBetween(1L, 5L);
        Load.Done paced = Load.paced(1, 500, 0.2).run(thread -> stalling());
        assertThat(paced.nanos().getTotalCount()).isEqualTo(100);
        assertThat(slow(paced))
                .as("slow operations, those that were due in the first 100 ms")
                .isGreaterThanOrEqualTo(50);
    }

    @Test
    void givesUpARateThatIsTooHighAndCountsItsOperationsAsSlow() throws IOException {
        long begin = System.nanoTime();
        Load.Done done = new Load(2, OptionalDouble.of(10_000), 0.1, 0.1).run(thread -> () -> pause(20_000_000));
        assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(10));
        assertThat(done.nanos().getTotalCount()).as("operations that were due").isEqualTo(1_000);
        assertThat(done.notStarted()).isGreaterThan(900);
        assertThat(done.operations()).isEqualTo(1_000 - done.notStarted()).isPositive();
        assertThat(done.nanos().getMaxValue()).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(190));

        Measurement measured = done.measurement(0.2);
        assertThat(measured.value(Measurement.NOT_STARTED)).hasValue((double) done.notStarted());
        assertThat(measured.value(Measurement.OPERATIONS)).hasValue((double) done.operations());
        assertThat(measured.value(Measurement.PER_SECOND)).hasValue(done.operations() / 0.2);
        assertThat(measured.value(Measurement.TARGET)).hasValue(10_000);
        assertThat(measured.value(Measurement.P999).orElseThrow())
                .isGreaterThanOrEqualTo(measured.value(Measurement.P99).orElseThrow())
                .isLessThanOrEqualTo(measured.value(Measurement.MAX).orElseThrow());
    }

    @Test
    void everyClientMakesAnOperationHoweverLateItIs() throws IOException {
        Load.Done done = new Load(3, OptionalDouble.of(1_000), 0, 0).run(thread -> () -> {});
        assertThat(done.operations()).isEqualTo(3);
        assertThat(done.notStarted()).isZero();
    }
}
