package org.diffindex.server;

import java.io.IOException;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;

/**
 * Scanners of no cell, which hold no file and no part of the memstore. As long as one is open, neither a flush nor a compaction drops
 * what a region showed at the scanner's read point.
 */
final class EmptyScan {
    private EmptyScan() {}

    /** A scanner as of now. */
    static RegionScanner open(Region region) throws IOException {
        return region.getScanner(of(region));
    }

    /** A scanner as of a read point; what has been dropped before does not come back. */
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
