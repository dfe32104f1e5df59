package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.List;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;

/** One experiment: its cells, and how to run one round of one cell. The caller rotates the contenders. For one thread. */
public interface Experiment {
    /** Returns the text of the report about the experiment. */
    ExperimentDescription description();

    /** The name in its description. */
    default String name() {
        return description().name();
    }

    /** Returns the cells to measure, those of one load adjacent; empty if the options exclude all of them. */
    List<BenchCell> cells();

    /** Roughly how long one round of one cell takes, in seconds. */
    double expectedSeconds();

    /** Returns how it is run. */
    default Procedure procedure() {
        return Procedure.USUAL;
    }

    /** Roughly how long {@link #prepare} takes, in seconds. */
    default double secondsToPrepare() {
        return 0;
    }

    /** Creates what the rounds need; called once, before the first round. */
    default void prepare() throws IOException {}

    /** Releases what {@link #prepare} acquired; called once, even if a round failed. */
    default void finish() throws IOException {}

    /**
     * Runs one round of one cell.
     *
     * @param round counts from 0, warm-up rounds included
     * @param seconds how long to measure, unless the operation itself determines that
     */
    Measurement run(BenchCell cell, int round, double seconds) throws IOException;
}
