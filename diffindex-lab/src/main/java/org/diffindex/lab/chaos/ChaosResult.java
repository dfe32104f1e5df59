package org.diffindex.lab.chaos;

import java.util.List;
import java.util.Map;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.ScrubReport;

/**
 * The result of a run.
 *
 * @param options the options of the run
 * @param tallies what the clients did, by scheme
 * @param faults the faults injected
 * @param violations the broken promises
 * @param aborts the servers that aborted, according to their logs
 * @param deaths other processes that ended without a fault
 * @param comparisons the final comparison of each index with its table
 * @param rowsCompared base rows compared with the history
 * @param checkpoints how many checkpoints succeeded
 * @param failedCheckpoints how many checkpoints failed
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
    /** Whether no promise was broken and nothing is unexplained. */
    boolean isClean() {
        return violations.count() == 0 && unexplained().isEmpty();
    }

    /** Findings that no fault explains, one line each. */
    List<String> unexplained() {
        return Judgement.of(this);
    }
}
