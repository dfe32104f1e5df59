package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;

/**
 * Determines the timestamp a write of a row needs to be visible while the clock is behind timestamps that a server
 * assigned. Scans the row, so it is used only then. Thread-safe.
 */
public final class RowTimes {
    /** The most cells read at a time, for rows with very many. */
    private static final int CELLS = 1_000;

    private final Region region;

    public RowTimes(Region region) {
        this.region = region;
    }

    /**
     * Returns the earliest time, not before the clock and not after the stamp, at which no existing cell or tombstone
     * hides a put of the row. Ignores cells at or after the stamp: a client set their timestamps, and they may hide the
     * put.
     *
     * @param families the families being written
     * @param clock the server's time, in milliseconds
     * @param stamp the stamp of the write; all earlier writes of the row have smaller stamps, and no later timestamps
     */
    public long earliest(byte[] row, Set<byte[]> families, long clock, long stamp) throws IOException {
        Scan scan = new Scan(new Get(row))
                .setRaw(true)
                .readAllVersions()
                .setTimeRange(clock, stamp)
                .setBatch(CELLS);
        families.forEach(scan::addFamily);
        PackagePrivateFieldAccessor.setMvccReadPoint(scan, Long.MAX_VALUE);
        long earliest = clock;
        try (RegionScanner scanner = region.getScanner(scan)) {
            List<Cell> cells = new ArrayList<>();
            boolean more = true;
            while (more) {
                more = scanner.next(cells);
                for (Cell cell : cells) {
                    earliest = Math.max(earliest, CellUtil.isPut(cell) ? cell.getTimestamp() : cell.getTimestamp() + 1);
                }
                cells.clear();
            }
        }
        return earliest;
    }
}
