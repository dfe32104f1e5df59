package org.diffindex.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.diffindex.server.sequences.Census;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that the indexes follow the base, whatever the order of the steps of clients, the APS, flushes, replays and
 * crashes. A failure prints its seed and its steps. {@code -Dtest=SimulationTest -Dsimulation.seed=SEED} repeats a run,
 * {@code -Dsimulation.runs=NUMBER} makes more runs, and {@code -Dsimulation.first=SEED} begins with another seed.
 */
class SimulationTest {
    private static final Long SEED = Long.getLong("simulation.seed");

    /** The first seed of this class and of {@link DefectsTest}. */
    static final long FIRST = Long.getLong("simulation.first", 0);

    /** The events that occur in {@link #ENOUGH_RUNS} runs, for any seeds. */
    private static final List<String> WHAT_HAPPENS = List.of(
            "a session ends while its server sleeps",
            "an edit is replayed",
            "fault: BACKFILL",
            "fault: CLOCK",
            "fault: COMPACTION",
            "fault: CRASH",
            "fault: FLUSH",
            "fault: MOVE",
            "fault: OUTAGE",
            "fault: SLEEP",
            "fault: SPLIT",
            "fault: a call to an index fails",
            "fault: a call to an index finds it away",
            "fault: a sync of the WAL fails",
            "fault: another coprocessor fails after the memstore",
            "fault: the answer of an index is lost",
            "fault: the rows of a failed write cannot be read",
            "read: confirmed from the row memory",
            "repair of stale entries");

    private static final long ENOUGH_RUNS = 1_000;

    /** The number of runs in an ordinary build. */
    static final long EVERYDAY = 1_500;

    /** Returns the first seed, unless only one is to be run. */
    long first() {
        return FIRST;
    }

    /** Returns the number of runs, unless a system property gives another. */
    long runs() {
        return EVERYDAY;
    }

    @Test
    void theIndexesFollowTheBaseInEveryRun() {
        long first = SEED == null ? first() : SEED;
        long runs = SEED == null ? Long.getLong("simulation.runs", runs()) : 1;
        Census census = new Census();
        for (long seed = first; seed < first + runs; seed++) {
            Simulation.Outcome outcome = Simulation.run(seed, new Wiring());
            census.add(outcome.census());
            requireClean(outcome);
        }
        census.write(getClass());
        if (runs >= ENOUGH_RUNS) {
            assertThat(census.missing(WHAT_HAPPENS))
                    .as("events that never occurred")
                    .isEmpty();
        }
    }

    /** Each of these runs found a mistake, as long as nothing that a run depends on is changed. */
    @ParameterizedTest
    @ValueSource(longs = {13_033, 114_015, 122_124, 125_479})
    void theIndexesFollowTheBaseInRunsThatFoundAMistake(long seed) {
        requireClean(Simulation.run(seed, new Wiring()));
    }

    private static void requireClean(Simulation.Outcome outcome) {
        if (!outcome.isClean()) {
            throw new AssertionError(outcome.toString(), outcome.failure());
        }
    }

    @Test
    void aSeedDeterminesTheWholeRun() {
        LongStream.range(0, 50)
                .forEach(seed -> assertThat(Simulation.run(seed, new Wiring()).trace())
                        .isEqualTo(Simulation.run(seed, new Wiring()).trace()));
    }
}
