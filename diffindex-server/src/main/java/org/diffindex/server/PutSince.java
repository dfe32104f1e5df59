package org.diffindex.server;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.Region;

/**
 * Passes the cells of a region that were put after an MVCC read point. Created on the server by {@link
 * IndexTableGuard}; never sent. A cell whose sequence number a compaction has dropped is older than every scanner was
 * at that time.
 */
final class PutSince extends FilterBase {
    private final long readPoint;
    private final boolean nothingWritten;

    PutSince(Region region, long readPoint) {
        this.readPoint = readPoint;
        this.nothingWritten =
                region instanceof HRegion written && written.getMVCC().getReadPoint() <= readPoint;
    }

    /** Ends the scan at once if nothing was written since. */
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
