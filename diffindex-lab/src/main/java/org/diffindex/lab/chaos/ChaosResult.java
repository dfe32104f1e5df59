package org.diffindex.lab.chaos;

import java.util.List;
import java.util.Map;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.ScrubReport;

/**
 * What a run has shown.
 *
 * @param options what was asked for
 * @param tallies what the clients did, by scheme
 * @param faults what was done to the cluster
 * @param violations what was wrong
 * @param aborts the servers that ended themselves, as their logs tell
 * @param deaths the processes that ended otherwise, though no fault had ended them
 * @param comparisons of each index with its table, at the end
 * @param rowsCompared base rows that were compared with the history
 * @param checkpoints how often all tables were checked while the writers paused
 * @param failedCheckpoints how often that could not be done
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
    /** Whether nothing was wrong, and nothing is unexplained. */
    boolean isClean() {
        return violations.count() == 0 && unexplained().isEmpty();
    }

    /** Returns the findings that no fault explains, a line each. */
    List<String> unexplained() {
        return Judgement.of(this);
    }
}
