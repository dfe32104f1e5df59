package org.diffindex.lab.demo;

import java.util.List;
import org.diffindex.verify.Difference;
import org.diffindex.verify.ScrubReport;

/**
 * The differences between a table and its indexes, summed up. A difference that the scheme of the index allows, and
 * that no read returns, is not counted.
 *
 * @param missing missing entries
 * @param dangling entries of deleted rows
 * @param stale entries of replaced values
 * @param wrongTimestamp entries that differ only in their timestamp
 */
record Differences(long missing, long dangling, long stale, long wrongTimestamp) {
    static Differences of(List<ScrubReport> reports) {
        return new Differences(
                sum(reports, Difference.MISSING),
                sum(reports, Difference.DANGLING),
                sum(reports, Difference.STALE),
                sum(reports, Difference.WRONG_TIMESTAMP));
    }

    private static long sum(List<ScrubReport> reports, Difference difference) {
        return reports.stream().mapToLong(report -> report.faults(difference)).sum();
    }
}
