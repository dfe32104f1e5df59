package org.diffindex.lab.demo;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.diffindex.client.Staleness;
import org.diffindex.verify.ScrubReport;

/**
 * The measurements of all tables; times are in nanoseconds.
 *
 * @param puts the times of single puts
 * @param staleness the staleness of the indexes during these puts
 * @param gets the times of reads of one row by index
 * @param scans the times of filtered full scans
 * @param reads the times of reads by index of the rows that the scans find
 * @param rowsRead the number of these rows
 */
record FlightTimes(
        Map<FlightTable, Histogram> puts,
        Map<FlightTable, Staleness> staleness,
        Map<FlightTable, Histogram> gets,
        Map<FlightTable, Histogram> scans,
        Map<FlightTable, Histogram> reads,
        long rowsRead) {
    private static final FlightTable NO_INDEX = new FlightTable(Optional.empty());
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double NANOS_PER_MILLI = 1e6;

    /** Returns the results of one table. */
    SchemeResult result(FlightTable table, long rows, List<ScrubReport> comparisons) {
        double putP50 = percentile(puts.get(table), 50);
        Optional<IndexResult> index = table.scheme()
                .map(scheme -> new IndexResult(
                        percentile(gets.get(table), 50) / NANOS_PER_MICRO,
                        percentile(reads.get(table), 50) / NANOS_PER_MILLI,
                        scheme.isAsynchronous() ? Optional.of(Lag.of(staleness.get(table))) : Optional.empty(),
                        Differences.of(comparisons)));
        return new SchemeResult(
                table.label(),
                rows,
                putP50 / NANOS_PER_MICRO,
                percentile(puts.get(table), 95) / NANOS_PER_MICRO,
                putP50 / percentile(puts.get(NO_INDEX), 50),
                percentile(scans.get(table), 50) / NANOS_PER_MILLI,
                index);
    }

    private static double percentile(Histogram nanos, double percent) {
        return nanos.getValueAtPercentile(percent);
    }
}
