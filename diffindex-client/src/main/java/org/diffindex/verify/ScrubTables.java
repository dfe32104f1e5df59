package org.diffindex.verify;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.tasks.KeyRange;

/** The tables that a scrub reads and writes: the seam to HBase. Implementations are safe for use by many threads. */
interface ScrubTables {
    /** Receives the rows of a scan, one after the other. */
    @FunctionalInterface
    interface Rows {
        void next(Result row) throws IOException;
    }

    /** Returns the ranges of the base table, one for each region. */
    List<ScrubRange> baseRanges() throws IOException;

    /** Returns the ranges of the index table, one for each region. */
    List<ScrubRange> indexRanges() throws IOException;

    /** Returns the rows of the region of the base table that holds a row, as far as is known: regions split and merge. */
    KeyRange baseRegionOf(byte[] row) throws IOException;

    /** Scans the indexed columns of the rows of a range that have any. */
    void scanBase(ScrubRange range, Rows rows) throws IOException;

    /** Scans the whole rows of a range of the index table. */
    void scanIndex(ScrubRange range, Rows rows) throws IOException;

    /** Returns how many rows of each table to look up at a time where what is read of both is compared. */
    int rowsOfALook();

    /** Waits until a number of rows may be looked up; returns the same tables, whose lookups do not wait any more. */
    ScrubTables afterWaitFor(int rows) throws IOException;

    /** Returns the indexed columns of base rows; an empty result for a row that has none. */
    Result[] baseRows(List<byte[]> rows) throws IOException;

    /** Returns rows of the index table; an empty result for one that does not exist. */
    Result[] indexRows(List<byte[]> keys) throws IOException;

    /**
     * Returns, for each of the given base rows, a stamp that no write of the row and no server's clock has exceeded;
     * {@link Long#MAX_VALUE} if it is unknown.
     */
    long[] latestStamps(List<byte[]> rows) throws IOException;

    /**
     * Waits until the index updates accepted before the call are delivered; returns how many batches of them are not
     * when the timeout elapses.
     */
    long drain(Duration timeout) throws IOException;

    /** Makes the servers of the base table derive the entries of rows again. */
    void repair(List<RowRepair> repairs) throws IOException;

    /** Deletes cells of the index table, as the index's own writer. */
    void delete(List<Delete> deletes) throws IOException;
}
