package org.diffindex.tasks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Covers rows of a table, region by region and a few regions at a time, while regions may split, merge and move. The
 * first rows of the regions that the client knows at the start divide the table into ranges, each of which is
 * followed by key to the start of the next one. The region that served a call reports how far the call got; the
 * client's knowledge of regions may be older or newer than the call, and have gaps.
 */
public final class RegionWalk {
    /** The call that covers a part of a region. */
    @FunctionalInterface
    public interface Step {
        /**
         * Covers rows from the given one on, up to the end of its region or less.
         *
         * @param range the range of this walk to which the row belongs
         * @return the next row to cover: a row of the same region, or the end key that the region itself reported;
         *     empty for the table's end
         */
        byte[] at(KeyRange range, byte[] row) throws IOException;
    }

    /** Receives the number of completed ranges, and of all ranges. */
    @FunctionalInterface
    public interface Progress {
        void done(int ranges, int all);
    }

    private final RegionLocator locator;
    private final int threads;

    /**
     * Creates a walk.
     *
     * @param locator locates the regions of the table
     * @param threads how many ranges are covered at a time
     */
    public RegionWalk(RegionLocator locator, int threads) {
        this.locator = locator;
        this.threads = threads;
    }

    /**
     * Covers all rows; the first error ends the walk. Several threads call the step; the caller's thread calls the
     * progress.
     */
    public void run(Step step, Progress progress) throws IOException {
        run(List.of(KeyRange.ALL), step, progress);
    }

    /**
     * Covers the rows of some ranges, each of which is cut where a region starts, like {@link #run(Step, Progress)}.
     *
     * @param within ranges that do not overlap
     */
    public void run(Collection<KeyRange> within, Step step, Progress progress) throws IOException {
        NavigableSet<byte[]> starts = starts();
        List<TaskPool.Task> ranges = new ArrayList<>(starts.size());
        for (KeyRange each : within) {
            for (KeyRange range : cut(each, starts)) {
                ranges.add(() -> walk(range, step));
            }
        }
        new TaskPool("diffindex-region-walk", threads).run(ranges, done -> progress.done(done, ranges.size()));
    }

    private static List<KeyRange> cut(KeyRange range, NavigableSet<byte[]> starts) {
        List<KeyRange> parts = new ArrayList<>();
        byte[] start = range.start();
        for (byte[] next : starts.tailSet(range.start(), false)) {
            if (range.endsBy(next)) {
                break;
            }
            parts.add(new KeyRange(start, next));
            start = next;
        }
        parts.add(new KeyRange(start, range.end()));
        return parts;
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

    /** Covers the rows of one range. */
    void walk(KeyRange range, Step step) throws IOException {
        byte[] row = range.start();
        while (true) {
            byte[] next = step.at(range, row);
            if (range.endsBy(next)) {
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
