package org.diffindex.mapreduce;

import org.diffindex.protocol.DiffIndexProtos.FillResponse;

/**
 * The totals of the pages of a range. Immutable.
 *
 * @param rows rows read, with or without the indexed columns
 * @param entries entries written
 * @param leftOut rows with a value that the index cannot hold
 */
record PageTotals(long rows, long entries, long leftOut) {
    static final PageTotals NONE = new PageTotals(0, 0, 0);

    PageTotals plus(FillResponse page) {
        return new PageTotals(rows + page.getRowsRead(), entries + page.getEntries(), leftOut + page.getLeftOut());
    }
}
