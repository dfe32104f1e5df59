package org.diffindex.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Whatever order the steps of clients, the APS, flushes, replays and crashes come in, the indexes follow the base. A
 * failure tells its seed and its steps; the same run again: {@code -Dtest=SimulationTest -Dsimulation.seed=SEED}. More
 * runs: {@code -Dsimulation.runs=NUMBER}.
 */
class SimulationTest {
    private static final Long SEED = Long.getLong("simulation.seed");

    /** How many runs, if nothing else is asked for. */
    long runs() {
        return 1_500;
    }

    @Test
    void theIndexesFollowTheBaseInEveryRun() {
        long first = SEED == null ? 0 : SEED;
        long runs = SEED == null ? Long.getLong("simulation.runs", runs()) : 1;
        for (long seed = first; seed < first + runs; seed++) {
            Simulation.Outcome outcome = Simulation.run(seed, new Wiring());
            if (!outcome.isClean()) {
                throw new AssertionError(outcome.toString(), outcome.finding());
            }
        }
    }

    @Test
    void aSeedTellsTheWholeRun() {
        LongStream.range(0, 50)
                .forEach(seed -> assertThat(Simulation.run(seed, new Wiring()).trace())
                        .isEqualTo(Simulation.run(seed, new Wiring()).trace()));
    }
}
