package org.diffindex.server.sim;

import org.junit.jupiter.api.Tag;

/** {@link SimulationTest} with as many runs as {@link DefectsTest} makes at most to find a defect. */
@Tag("proof")
class SimulationProofTest extends SimulationTest {
    @Override
    long runs() {
        return DefectsTest.MOST_RUNS;
    }
}
