package org.diffindex.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.tasks.Regions;
import org.diffindex.tasks.TaskPool;

/**
 * Covers all rows of a table, region by region and a few regions at a time, while regions may split, merge and move.
 * The first rows of the regions that the client knows at the start divide the table into ranges, each of which is
 * followed by key to the start of the next one. The region that served a call reports how far the call got; the
 * client's knowledge of regions may be older or newer than the call, and have gaps.
 */
final class RegionWalk {
    /** The call that covers a part of a region. */
    @FunctionalInterface
    interface Step {
        /**
         * Covers rows from the given one on, up to the end of its region or less.
         *
         * @param end the first row that is not part of this walk; empty for the table's end
         * @return the next row to cover: a row of the same region, or the end key that the region itself reported;
         *     empty for the table's end
         */
        byte[] at(byte[] row, byte[] end) throws IOException;
    }

    /** Receives the number of completed ranges, and of all ranges. */
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

    /**
     * Covers all ranges; the first error ends the walk. Several threads call the step; the caller's thread calls the
     * progress.
     */
    void run(Step step, Progress progress) throws IOException {
        NavigableSet<byte[]> starts = starts();
        List<TaskPool.Task> ranges = new ArrayList<>(starts.size());
        for (byte[] start : starts) {
            byte[] next = starts.higher(start);
            ranges.add(() -> walk(start, next == null ? HConstants.EMPTY_END_ROW : next, step));
        }
        new TaskPool("diffindex-region-walk", threads).run(ranges, done -> progress.done(done, ranges.size()));
    }

    /**
     * Returns where the ranges start: at the table's first row, and at the first row of each known region. The client
     * may know of regions that do not adjoin, if regions merged while it read hbase:meta.
     */
    private NavigableSet<byte[]> starts() throws IOException {
        NavigableSet<byte[]> starts = new TreeSet<>(Bytes.BYTES_COMPARATOR);
        starts.add(HConstants.EMPTY_START_ROW);
        for (HRegionLocation location : Regions.of(locator)) {
            starts.add(location.getRegion().getStartKey());
        }
        return starts;
    }

    /** Covers the rows from a start, inclusive, to an end, exclusive; an empty end is the table's. */
    void walk(byte[] start, byte[] end, Step step) throws IOException {
        byte[] row = start;
        while (true) {
            byte[] next = step.at(row, end);
            if (next.length == 0 || (end.length > 0 && Bytes.compareTo(next, end) >= 0)) {
                return;
            }
            if (Bytes.compareTo(next, row) <= 0) {
                throw new IOException("A region of " + locator.getName() + " was called with row "
                        + Bytes.toStringBinary(row) + " and returned row " + Bytes.toStringBinary(next)
                        + ", which is not after it, as the next one; do client and server have the same version?");
            }
            row = next;
        }
    }
}
