package org.diffindex.server;

import java.io.IOException;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;

/**
 * Scanners that read no cell and hold neither a file nor a part of the memstore. While one is open, neither a flush nor
 * a compaction drops what the region showed at the scanner's read point; {@link RegionHistory} says which cells are an
 * exception.
 */
final class EmptyScan {
    private EmptyScan() {}

    /** Opens a scanner at the current read point. */
    static RegionScanner open(Region region) throws IOException {
        return region.getScanner(of(region));
    }

    /** Opens a scanner at an earlier read point; cells that were dropped before are not restored. */
    static RegionScanner open(Region region, long readPoint) throws IOException {
        Scan scan = of(region);
        PackagePrivateFieldAccessor.setMvccReadPoint(scan, Math.max(1, readPoint));
        return region.getScanner(scan);
    }

    private static Scan of(Region region) throws IOException {
        byte[] anyFamily = region.getTableDescriptor().getColumnFamilies()[0].getName();
        return new Scan()
                .setTimeRange(Long.MAX_VALUE - 1, Long.MAX_VALUE)
                .setCacheBlocks(false)
                .addFamily(anyFamily);
    }
}
