package org.diffindex.client;

import java.util.Optional;
import java.util.OptionalDouble;
import org.diffindex.model.BuildFamily;

/**
 * How far the build of an index is. Immutable.
 *
 * @param rows base rows read, with or without the indexed columns; a page that was written before the building master died,
 *     and not recorded, counts once
 * @param entries entries written
 * @param leftOut rows with a value that the index cannot hold: it is undecodable, or its key would be too long
 * @param rangesDone the ranges of rows that are complete, of those that the present master found to be backfilled
 * @param ranges the number of these ranges; 0 until the master has written the first page
 * @param isPaused whether the build stands still until it is resumed
 * @param rowsPerSecond the rate to which it is limited; empty for no limit
 * @param job the name of the job that builds in place of the master; empty if the master builds
 * @param problem why it has failed; it is tried again only if the index is created again, or the build resumed
 * @param failing why its last call failed, which is tried again
 */
public record BuildStatus(
        long rows,
        long entries,
        long leftOut,
        int rangesDone,
        int ranges,
        boolean isPaused,
        OptionalDouble rowsPerSecond,
        Optional<String> job,
        Optional<String> problem,
        Optional<String> failing) {
    /** Returns the status of a build that is complete. */
    static BuildStatus complete(BuildFamily.Totals totals) {
        return new BuildStatus(
                totals.rows(),
                totals.entries(),
                totals.leftOut(),
                1,
                1,
                false,
                OptionalDouble.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static String limit(double rowsPerSecond) {
        return rowsPerSecond < 10 ? "%.3g".formatted(rowsPerSecond) : "%,.0f".formatted(rowsPerSecond);
    }

    /** Returns the status in words. A row that lacks a column of the index has no entry, and is not left out. */
    @Override
    public String toString() {
        return "%,d entries written, %,d rows left out, %,d rows read, %,d of %,d ranges%s%s%s%s%s"
                .formatted(
                        entries,
                        leftOut,
                        rows,
                        rangesDone,
                        ranges,
                        isPaused ? ", paused" : "",
                        rowsPerSecond.isPresent()
                                ? ", limited to " + limit(rowsPerSecond.getAsDouble()) + " rows/s"
                                : "",
                        job.map(name -> ", built by job " + name).orElse(""),
                        failing.map(message -> "; retrying after: " + message).orElse(""),
                        problem.map(message -> "; failed: " + message).orElse(""));
    }
}
