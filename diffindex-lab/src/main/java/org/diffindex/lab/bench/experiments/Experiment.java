package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.List;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;

/**
 * An experiment: its cells, and a method that runs one round of one cell. The caller rotates the contenders. For one
 * thread.
 */
public interface Experiment {
    /** Returns the text of the report about the experiment. */
    ExperimentDescription description();

    /** Returns the name in the description. */
    default String name() {
        return description().name();
    }

    /** Returns the cells to measure, those of one load adjacent; empty if the options exclude all of them. */
    List<BenchCell> cells();

    /** Returns the approximate time that one round of one cell takes, in seconds. */
    double expectedSeconds();

    /** Returns whether a shorter round that is discarded runs first, to compile the code and fill the caches. */
    default boolean warmsUp() {
        return true;
    }

    /** Returns whether warm-up rounds repeat until the figures settle; ignored in a quick run. */
    default boolean warmsUpUntilSettled() {
        return false;
    }

    /** Returns the number of measured rounds that it runs if {@code asked} are requested. */
    default int rounds(int asked) {
        return asked;
    }

    /** Returns whether it uses the tables that {@link BenchTables} shares between experiments. */
    default boolean usesSharedTables() {
        return true;
    }

    /**
     * Returns whether the shared tables are flushed and compacted first, so that reads find all of them in the same
     * state: a faster contender has written more. Ignored in a quick run.
     */
    default boolean compactsTables() {
        return false;
    }

    /** Returns the approximate time that {@link #prepare} takes, in seconds. */
    default double secondsToPrepare() {
        return 0;
    }

    /** Creates the objects that the rounds need; called once, before the first round. */
    default void prepare() throws IOException {}

    /** Releases the objects that {@link #prepare} created; called once, even if {@link #prepare} or a round failed. */
    default void finish() throws IOException {}

    /**
     * Runs one round of one cell.
     *
     * @param round the number of the round, from 0, warm-up rounds included
     * @param seconds the time to measure, unless the operation itself determines that
     */
    Measurement run(BenchCell cell, int round, double seconds) throws IOException;
}
