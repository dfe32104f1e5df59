package org.diffindex.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.diffindex.server.sequences.Census;
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

    /** The events that occur in {@link #ENOUGH_RUNS} runs, for any seeds. */
    private static final List<String> WHAT_HAPPENS = List.of(
            "an edit is replayed",
            "fault: CLOCK",
            "fault: COMPACTION",
            "fault: CRASH",
            "fault: FLUSH",
            "fault: MOVE",
            "fault: OUTAGE",
            "fault: SPLIT",
            "fault: a call to an index fails",
            "fault: a call to an index finds it away",
            "fault: a sync of the WAL fails",
            "fault: the answer of an index is lost");

    private static final long ENOUGH_RUNS = 1_000;

    /** How many runs, if nothing else is asked for. */
    long runs() {
        return 1_500;
    }

    @Test
    void theIndexesFollowTheBaseInEveryRun() {
        long first = SEED == null ? FIRST : SEED;
        long runs = SEED == null ? Long.getLong("simulation.runs", runs()) : 1;
        Census census = new Census();
        for (long seed = first; seed < first + runs; seed++) {
            Simulation.Outcome outcome = Simulation.run(seed, new Wiring());
            census.add(outcome.census());
            if (!outcome.isClean()) {
                throw new AssertionError(outcome.toString(), outcome.failure());
            }
        }
        census.write(getClass());
        if (runs >= ENOUGH_RUNS) {
            assertThat(census.missing(WHAT_HAPPENS)).as("what never happened").isEmpty();
        }
    }

    @Test
    void aSeedTellsTheWholeRun() {
        LongStream.range(0, 50)
                .forEach(seed -> assertThat(Simulation.run(seed, new Wiring()).trace())
                        .isEqualTo(Simulation.run(seed, new Wiring()).trace()));
    }
}
