package org.diffindex.server.sim;

import org.junit.jupiter.api.Tag;

/** The runs that {@link SimulationTest} leaves out of those in which {@link DefectsTest} has to find each defect. */
@Tag("proof")
class SimulationProofTest extends SimulationTest {
    @Override
    long first() {
        return FIRST + EVERYDAY;
    }

    @Override
    long runs() {
        return DefectsTest.MOST_RUNS - EVERYDAY;
    }
}
