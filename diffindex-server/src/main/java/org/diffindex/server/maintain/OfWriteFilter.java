package org.diffindex.server.maintain;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.filter.FilterBase;

/** Selects the cells of one write, visible or not. For raw scans within a server; confined to one thread. */
final class OfWriteFilter extends FilterBase {
    private final long sequence;

    /** Creates a filter of the cells of the write with a log sequence number. */
    OfWriteFilter(long sequence) {
        this.sequence = sequence;
    }

    @Override
    public ReturnCode filterCell(Cell cell) {
        return AsOfFilter.sequenceOf(cell) == sequence ? ReturnCode.INCLUDE : ReturnCode.SKIP;
    }
}
