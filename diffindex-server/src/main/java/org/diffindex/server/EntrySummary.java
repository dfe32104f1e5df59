package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;

/**
 * What a region makes of successive entries, in key order, in place of returning them. Used by one handler at a time; a cell that
 * it is given is valid until the next call of {@link #take}.
 */
interface EntrySummary {
    /**
     * Adds the next entry.
     *
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if its key is not one of the index
     */
    void add(Cell entry) throws IOException;

    /** Returns whether the summary takes as much memory as it may, so that it is to be taken before further entries are added. */
    boolean isFull();

    /**
     * Returns the rows that stand for the entries added since the last call, in key order, each a cell with memory of its own;
     * none of these entries lies behind the last of the rows unless it may be added again.
     */
    List<Cell> take();
}
