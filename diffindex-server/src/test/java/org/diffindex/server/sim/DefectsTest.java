package org.diffindex.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Checks that the simulation finds every defect: that a run reveals a violation of the defect's kind with it which is
 * clean without it. Where it does not, a clean run proves nothing.
 */
@Tag("proof")
class DefectsTest {
    static final long MOST_RUNS = 6_000;

    @ParameterizedTest
    @EnumSource
    void isFound(Defect defect) {
        Optional<Simulation.Outcome> found = LongStream.range(SimulationTest.FIRST, SimulationTest.FIRST + MOST_RUNS)
                .mapToObj(seed -> Simulation.run(seed, defect.wiring()))
                .filter(outcome -> !outcome.isClean()
                        && outcome.failure().isViolation()
                        && outcome.failure().kind() == defect.violation())
                .filter(outcome -> Simulation.run(outcome.seed(), new Wiring()).isClean())
                .findFirst();
        assertThat(found)
                .as(
                        "a run, of %s from seed %s on, that finds %s and is clean without it",
                        MOST_RUNS, SimulationTest.FIRST, defect)
                .isPresent();
    }
}
