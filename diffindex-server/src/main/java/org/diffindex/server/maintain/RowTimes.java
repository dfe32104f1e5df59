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
 * Tells which timestamp a write of a row must have to be seen, while the clock is behind timestamps that a server gave. Looks
 * at the row, so it is asked for only then. Safe for use by many threads.
 */
public final class RowTimes {
    /** Of a row with very many cells, so many at a time. */
    private static final int CELLS = 1_000;

    private final Region region;

    public RowTimes(Region region) {
        this.region = region;
    }

    /**
     * The earliest time, not before the clock and not after the stamp, at which a put of a row is hidden by no cell and no
     * tombstone that was there before. What lies at the stamp, or after it, was given by a client, and may hide it.
     *
     * @param families those that are written
     * @param stamp the stamp of the write: all earlier writes of the row had smaller ones, and no later timestamps
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
