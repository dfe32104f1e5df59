package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.List;

/**
 * One experiment: what is measured, of whom, and how one round of one cell is run. {@link BenchRun} lets the contenders take
 * turns. Used by one thread.
 */
interface Experiment {
    /** By what name it is asked for, and where its plots are found. */
    String name();

    /** What it measures, in a few words. */
    String title();

    /** Where the paper has it, such as {@code figure 7}, or that it is beyond the paper. */
    String source();

    /** How to read its figures, in a sentence or two. */
    String explanation();

    /** What it measures; empty if the options leave nothing of it. Those of one load stand together. */
    List<Cell> cells();

    /** The plots of its figures. */
    List<Plot> plots();

    /** The names of the values that the report's table shows; those that were not measured are left out. */
    List<String> columns();

    /** How long one round of one cell takes about, in seconds. */
    double expectedSeconds();

    /** Whether a shorter round comes first that does not count, so that every code path is compiled and every cache filled. */
    default boolean warmsUp() {
        return true;
    }

    /** Whether such rounds go on, in a run that has the time, until the figures have settled. */
    default boolean warmsUpUntilSettled() {
        return false;
    }

    /** How many rounds of those that are asked for it needs. */
    default int rounds(int asked) {
        return asked;
    }

    /** Whether it works on the tables of {@link BenchTables#of}. */
    default boolean usesSharedTables() {
        return true;
    }

    /**
     * Whether those tables are to be flushed and compacted first, so that reads find all of them alike: a contender that was
     * faster has been written more often. Not in haste.
     */
    default boolean compactsTables() {
        return false;
    }

    /** How long {@link #prepare} takes about, in seconds. */
    default double secondsToPrepare() {
        return 0;
    }

    /** Makes what the rounds need; called once, before them. */
    default void prepare() throws IOException {}

    /** Lets go of what {@link #prepare} opened; called once, whatever came of the rounds. */
    default void finish() throws IOException {}

    /**
     * Runs one round of one cell.
     *
     * @param round counts from 0, those that warm up included
     * @param seconds how long to measure, where the experiment has no end of its own
     */
    Measurement run(Cell cell, int round, double seconds) throws IOException;
}
