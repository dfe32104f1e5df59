package org.diffindex.server.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.SimulatedMachine;
import org.diffindex.server.sim.SimulationFailure.Kind;
import org.junit.jupiter.api.Test;

class SimulationFailureTest {
    private static final int RUNS = 20;

    /** Fails in the hook of a batch. */
    private static final Wiring BROKEN_HOOK = new Wiring() {
        @Override
        Hooks hooks(Scheduler scheduler) {
            return new Hooks(scheduler) {
                @Override
                void beforeBatch(MiniBatchOperationInProgress<Mutation> batch) {
                    throw new ClassCastException("a mistake of the wiring");
                }
            };
        }
    };

    /** Fails in the first delivery of the APS, which tries again. */
    private static Wiring brokenDelivery() {
        return new Wiring() {
            private boolean hasFailed;

            @Override
            void deliver(IndexTable index, List<Mutation> mutations, Scheduler scheduler) throws IOException {
                if (!hasFailed && scheduler.runningName().startsWith("APS")) {
                    hasFailed = true;
                    throw new IllegalStateException("a mistake of the wiring");
                }
                super.deliver(index, mutations, scheduler);
            }
        };
    }

    private static List<SimulationFailure> failuresWith(Wiring wiring) {
        return LongStream.range(0, RUNS)
                .mapToObj(seed -> Simulation.run(seed, wiring))
                .filter(Predicate.not(Simulation.Outcome::isClean))
                .map(Simulation.Outcome::failure)
                .toList();
    }

    @Test
    void aRunFailsByAnUncheckedExceptionAfterWhichADeliveryIsTriedAgain() {
        assertThat(failuresWith(brokenDelivery())).singleElement().satisfies(failure -> assertThat(failure)
                .hasMessageContaining("a mistake of the wiring"));
    }

    @Test
    void anExceptionOfTheWiringIsNoViolation() {
        assertThat(failuresWith(BROKEN_HOOK)).isNotEmpty().noneMatch(SimulationFailure::isViolation);
        assertThat(failuresWith(brokenDelivery())).isNotEmpty().noneMatch(SimulationFailure::isViolation);
    }

    @Test
    void aHangIsNoViolation() {
        assertThat(SimulationFailure.hang("client 1").isViolation()).isFalse();
    }

    @Test
    void anIndexThatDiffersIsAViolation() {
        SimulationFailure differs = new SimulationFailure(Kind.INDEX, "In the end by_origin holds []");
        assertThat(differs.isViolation()).isTrue();
        SimulationFailure logged = new SimulationFailure(
                Kind.ERROR, "client 1 logged", new IOException(new IllegalStateException(differs)));
        assertThat(logged.isViolation()).isTrue();
        assertThat(logged.kind()).isEqualTo(Kind.INDEX);
        SimulationFailure failed = new SimulationFailure(Kind.REFUSAL, "A write failed", new IOException());
        assertThat(failed.isViolation()).isTrue();
        assertThat(failed.kind()).isEqualTo(Kind.REFUSAL);
    }

    @Test
    void anExceptionOfTheCodeUnderTestIsAViolation() {
        SimulationFailure failed = writeFailedBy(catchThrowable(() -> IndexScheme.ofName("none")));
        assertThat(failed.isViolation()).isTrue();
        assertThat(failed.kind()).as("not the refusal of a write").isEqualTo(Kind.ERROR);
    }

    @Test
    void anExceptionOfAnotherClassOfTheTestsIsNoViolation() {
        assertThat(writeFailedBy(catchThrowable(() -> SimulatedMachine.inside(null)))
                        .isViolation())
                .isFalse();
    }

    private static SimulationFailure writeFailedBy(Throwable thrown) {
        return new SimulationFailure(Kind.REFUSAL, "A write failed", new IOException(thrown));
    }
}
