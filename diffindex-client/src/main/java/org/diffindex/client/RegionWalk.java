package org.diffindex.client;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.tasks.TaskPool;

/**
 * Goes through all rows of a table, region by region and a few regions at a time, while regions may split, merge and
 * move: each region that there was at the start is a range of rows, which is followed by key to its end. How far a call
 * got is what the region that served it says. What the client remembers of regions may be older or newer than the call.
 */
final class RegionWalk {
    /** What is done at each place. */
    @FunctionalInterface
    interface Step {
        /**
         * Does its work at a row, and in the rest of the region that holds it or a part of that.
         *
         * @param end the first row that is no business of this walk; empty for the table's end
         * @return where to go on: a row of the same region, or the end key of the region that did the work, as the region
         *     itself tells it; empty for the table's end
         */
        byte[] at(byte[] row, byte[] end) throws IOException;
    }

    /** Takes the number of ranges that are done, and of all. */
    @FunctionalInterface
    interface Progress {
        void done(int ranges, int all);
    }

    private final RegionLocator locator;
    private final int threads;

    RegionWalk(RegionLocator locator, int threads) {
        this.locator = locator;
        this.threads = threads;
    }

    /** Goes through all; the first error ends it. The step is called by several threads, the progress by the caller's. */
    void run(Step step, Progress progress) throws IOException {
        List<RegionInfo> regions = locator.getAllRegionLocations().stream()
                .map(location -> location.getRegion())
                .filter(region -> region.getReplicaId() == RegionInfo.DEFAULT_REPLICA_ID)
                .toList();
        List<TaskPool.Task> ranges = regions.stream()
                .<TaskPool.Task>map(region -> () -> walk(region.getStartKey(), region.getEndKey(), step))
                .toList();
        new TaskPool("diffindex-region-walk", threads).run(ranges, done -> progress.done(done, ranges.size()));
    }

    /** Goes from a start row, inclusive, to an end row, exclusive; empty for the table's end. */
    void walk(byte[] start, byte[] end, Step step) throws IOException {
        byte[] row = start;
        while (true) {
            byte[] next = step.at(row, end);
            if (next.length == 0 || (end.length > 0 && Bytes.compareTo(next, end) >= 0)) {
                return;
            }
            if (Bytes.compareTo(next, row) <= 0) {
                throw new IOException("A region of " + locator.getName() + " was asked from row "
                        + Bytes.toStringBinary(row) + " on and named an earlier one, " + Bytes.toStringBinary(next)
                        + ", to go on from; do client and server have the same version?");
            }
            row = next;
        }
    }
}
