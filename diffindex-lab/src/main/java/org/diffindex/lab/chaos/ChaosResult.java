package org.diffindex.lab.chaos;

import java.util.List;
import java.util.Map;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.ScrubReport;

/**
 * The result of a run.
 *
 * @param options the options of the run
 * @param tallies the counts of what the clients did, by scheme
 * @param faults the faults, including those that could not be applied
 * @param violations the broken promises
 * @param aborts the servers that aborted, according to their logs
 * @param deaths other processes that ended although no fault had ended them
 * @param comparisons the final comparison of each index with its table
 * @param rowsCompared the number of base rows compared with the history
 * @param checkpoints the number of checkpoints that succeeded for all tables
 * @param failedCheckpoints the number of checkpoints that failed for at least one table
 */
record ChaosResult(
        ChaosOptions options,
        Map<IndexScheme, Tally> tallies,
        List<FaultEvent> faults,
        Violations violations,
        List<Abort> aborts,
        List<Death> deaths,
        List<ScrubReport> comparisons,
        long rowsCompared,
        int checkpoints,
        int failedCheckpoints) {
    /** Returns whether no promise was broken and no finding is unexplained. */
    boolean isClean() {
        return violations.count() == 0 && unexplained().isEmpty();
    }

    /** Returns the findings that no fault explains, one line each. */
    List<String> unexplained() {
        return Judgement.of(this);
    }
}
