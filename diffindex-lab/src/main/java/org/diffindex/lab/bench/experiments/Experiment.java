package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
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

    /** Returns the approximate time that one round of a cell of the longest share takes, in seconds. */
    double expectedSeconds();

    /** Returns the approximate time that one round of a cell takes, in seconds. */
    default double expectedSeconds(BenchCell cell) {
        return expectedSeconds() * share(cell);
    }

    /**
     * Returns the share of the time of a round for which a cell is measured: usually 1. In a full run it is less for
     * cells by which no goal is judged ({@link BenchOptions#shareOf}).
     */
    default double share(BenchCell cell) {
        return 1;
    }

    /** Returns how the experiment is run. */
    default Procedure procedure() {
        return Procedure.USUAL;
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
     * Returns the table whose rows the rounds of a cell update, if the report shows how the row memory of its regions
     * served; usually empty.
     */
    default Optional<TableName> updatedTable(BenchCell cell) {
        return Optional.empty();
    }

    /**
     * Runs one round of one cell.
     *
     * @param round the number of the round, from 0, warm-up rounds included
     * @param seconds the time to measure, unless the operation itself determines that
     */
    Measurement run(BenchCell cell, int round, double seconds) throws IOException;
}
