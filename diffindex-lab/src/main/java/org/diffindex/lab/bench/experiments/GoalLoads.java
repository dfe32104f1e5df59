package org.diffindex.lab.bench.experiments;

/** The loads that the goals refer to. */
public final class GoalLoads {
    /** The number of rows of a batch. */
    public static final int BATCH_ROWS = 1_000;

    /** The number of entries of the largest range. */
    public static final int RANGE_ENTRIES = 40_000;

    /** The number of rows of the table that a full scan reads. */
    public static final int SCANNED_ROWS = 1_000_000;

    /** The rate at which staleness is judged, in percent of the highest rate. */
    public static final int STALENESS_PERCENT = 70;

    private GoalLoads() {}
}
