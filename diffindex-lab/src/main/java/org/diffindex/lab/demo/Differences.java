package org.diffindex.lab.demo;

import java.util.List;
import org.diffindex.verify.Difference;
import org.diffindex.verify.ScrubReport;

/**
 * The differences between a table and its indexes, all of them together; those that the scheme of an index allows, which
 * no read returns, are left out.
 *
 * @param missing entries that are not there
 * @param dangling entries of rows that are gone
 * @param stale entries of values that are gone
 * @param wrongTimestamp entries that are right but for their timestamp
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
