package org.diffindex.server;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;

/**
 * Keeps the past of a region's rows readable, by what HBase does for a scanner that takes long: a scanner that is never
 * read holds a read point, and as long as it does, flushes and compactions write all that can be seen at that point or a
 * later one. They keep versions, tombstones and what these hide, puts that a client has overwritten at their own
 * timestamp, and the sequence numbers, by which the past is told from the present.
 *
 * <p>Safe for use by many threads.
 */
final class RegionHistory implements Closeable {
    private final Region region;
    private final LongSupplier neededFrom;

    /** Null while no past is kept. Guarded by this. */
    private RegionScanner holder;

    /**
     * Keeps nothing yet.
     *
     * @param neededFrom tells the oldest read point at which a row is still to be read, {@link Long#MAX_VALUE} if none is
     */
    RegionHistory(Region region, LongSupplier neededFrom) {
        this.region = region;
        this.neededFrom = neededFrom;
    }

    /** From now on keeps what is needed now. In a region that is closing all stays as it is. */
    synchronized void keep() throws IOException {
        long readPoint = neededFrom.getAsLong();
        if (readPoint == Long.MAX_VALUE) {
            close();
            return;
        }
        RegionScanner before = holder;
        try {
            holder = region.getScanner(emptyScan(readPoint));
        } catch (NotServingRegionException closing) {
            return;
        }
        if (before != null) {
            before.close();
        }
    }

    /** A scan of no cell, so that its scanner holds no file and no part of the memstore. */
    private Scan emptyScan(long readPoint) throws IOException {
        byte[] anyFamily = region.getTableDescriptor().getColumnFamilies()[0].getName();
        Scan scan = new Scan()
                .setTimeRange(Long.MAX_VALUE - 1, Long.MAX_VALUE)
                .setCacheBlocks(false)
                .addFamily(anyFamily);
        PackagePrivateFieldAccessor.setMvccReadPoint(scan, Math.max(1, readPoint));
        return scan;
    }

    /** Lets go of the past if none of it is needed any more. */
    synchronized void forget() throws IOException {
        if (neededFrom.getAsLong() == Long.MAX_VALUE) {
            close();
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (holder != null) {
            holder.close();
            holder = null;
        }
    }
}
