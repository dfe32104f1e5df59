package org.diffindex.server;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.Region;

/**
 * Passes the entries of an index region that were put after an MVCC read point. Created on the server by {@link
 * IndexTableGuard}; never sent to another server. A compaction drops the sequence number of a cell only if the cell is
 * older than the read point of every open scanner; such a cell does not pass. For a single scan.
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
