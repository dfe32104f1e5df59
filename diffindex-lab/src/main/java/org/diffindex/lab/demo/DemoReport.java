package org.diffindex.lab.demo;

import java.util.ArrayList;
import java.util.List;
import org.diffindex.verify.ScrubReport;

/**
 * The findings of a run of the demo.
 *
 * @param results one result per table, the table without an index first
 * @param comparisons one comparison per index
 * @param broken the promises of schemes that were broken during the story, as text
 * @param rowsRead the number of rows that each full scan and each index read returned
 */
record DemoReport(List<SchemeResult> results, List<ScrubReport> comparisons, List<String> broken, long rowsRead) {
    /** Returns all faults, one line each; empty if there are none. */
    List<String> faults() {
        List<String> faults = new ArrayList<>(broken);
        long indexes = FlightTable.INDEXES
                * results.stream().filter(result -> result.index().isPresent()).count();
        if (comparisons.size() != indexes) {
            faults.add("only " + comparisons.size() + " of " + indexes + " indexes were compared with their tables");
        }
        for (ScrubReport comparison : comparisons) {
            long rows = results.get(0).rows();
            if (!comparison.isClean()) {
                faults.add(comparison.toString());
            } else if (comparison.rows() != rows) {
                faults.add("only " + comparison.rows() + " of " + rows + " rows are left: " + comparison);
            }
        }
        return faults;
    }

    /** Returns 0 if there is no fault, otherwise 1. */
    int exitCode() {
        return faults().isEmpty() ? 0 : 1;
    }
}
