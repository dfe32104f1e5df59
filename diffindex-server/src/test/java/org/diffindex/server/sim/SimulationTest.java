package org.diffindex.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Whatever order the steps of clients, the APS, flushes, replays and crashes come in, the indexes follow the base. A
 * failure tells its seed and its steps; the same run again: {@code -Dtest=SimulationTest -Dsimulation.seed=SEED}. More
 * runs: {@code -Dsimulation.runs=NUMBER}; others: {@code -Dsimulation.first=SEED}.
 */
class SimulationTest {
    private static final Long SEED = Long.getLong("simulation.seed");

    /** The first seed of this class and of {@link DefectsTest}. */
    static final long FIRST = Long.getLong("simulation.first", 0);

    /** How many runs, if nothing else is asked for. */
    long runs() {
        return 1_500;
    }

    @Test
    void theIndexesFollowTheBaseInEveryRun() {
        long first = SEED == null ? FIRST : SEED;
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
