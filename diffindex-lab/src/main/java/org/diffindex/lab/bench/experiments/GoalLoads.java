package org.diffindex.lab.bench.experiments;

import java.util.Set;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.model.IndexScheme;

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

    /** How often every row is updated before the reads that are judged after updates. */
    static final int REWRITINGS = 10;

    /** The load of reads that follow the updates at once. */
    public static final int AT_ONCE = 0;

    /** The load of reads that follow when the servers have deleted the stale entries of which they know. */
    public static final int CLEANED_UP = 1;

    /** The number of indexes of a table whose updates are compared with those of a table with one. */
    public static final int SEVERAL_INDEXES = BenchTable.MOST_INDEXES;

    /** The numbers of clients of which updates are judged. */
    private static final Set<Integer> CLIENTS_OF_UPDATES = Set.of(1, 8);

    /** The number of clients of which reads are judged. */
    private static final int CLIENTS_OF_READS = 1;

    private GoalLoads() {}

    /** Returns whether the updates of so many clients are judged. */
    static boolean areUpdatesJudged(double clients) {
        return CLIENTS_OF_UPDATES.contains((int) clients);
    }

    /** Returns whether the updates of a table with so many indexes are judged under a scheme. */
    static boolean areIndexesJudged(Contender contender, double indexes) {
        return contender.equals(Contender.of(IndexScheme.SYNC_FULL)) && (indexes == 1 || indexes == SEVERAL_INDEXES);
    }

    /** Returns whether the reads of so many clients are judged. */
    static boolean areReadsJudged(double clients) {
        return clients == CLIENTS_OF_READS;
    }
}
