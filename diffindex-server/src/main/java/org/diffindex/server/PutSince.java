package org.diffindex.server;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.Region;

/**
 * Lets those cells of a region pass that were put after an MVCC read point. Made on the server, by {@link IndexTableGuard}; never
 * sent. A cell whose sequence number HBase has dropped in a compaction is older than every scanner was then.
 */
final class PutSince extends FilterBase {
    private final long readPoint;
    private final boolean nothingWritten;

    PutSince(Region region, long readPoint) {
        this.readPoint = readPoint;
        this.nothingWritten =
                region instanceof HRegion written && written.getMVCC().getReadPoint() <= readPoint;
    }

    /** Spares the scan where nothing was written since. */
    @Override
    public boolean filterAllRemaining() {
        return nothingWritten;
    }

    @Override
    public ReturnCode filterCell(Cell cell) {
        boolean isLater = cell instanceof ExtendedCell extended && extended.getSequenceId() > readPoint;
        return isLater ? ReturnCode.INCLUDE : ReturnCode.NEXT_ROW;
    }
}
