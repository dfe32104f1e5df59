package org.diffindex.cli.demo;

import java.util.List;
import org.diffindex.verify.ComparisonReport;

/**
 * The differences between a table and its indexes, all of them together.
 *
 * @param missing entries that are not there
 * @param dangling entries of rows that are gone
 * @param stale entries of values that are gone; under sync-insert those that a read returned
 * @param wrongTimestamp entries that are right but for their timestamp
 */
record Differences(long missing, long dangling, long stale, long wrongTimestamp) {
    static Differences of(List<ComparisonReport> reports) {
        return new Differences(
                reports.stream().mapToLong(ComparisonReport::missing).sum(),
                reports.stream().mapToLong(ComparisonReport::dangling).sum(),
                reports.stream().mapToLong(ComparisonReport::stale).sum(),
                reports.stream().mapToLong(ComparisonReport::wrongTimestamp).sum());
    }
}
