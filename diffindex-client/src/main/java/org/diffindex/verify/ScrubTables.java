package org.diffindex.verify;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Result;

/** What a scrub reads and writes: the seam to HBase. Implementations are safe for use by many threads. */
interface ScrubTables {
    /** Takes the rows of a scan, one after the other. */
    @FunctionalInterface
    interface Rows {
        void next(Result row) throws IOException;
    }

    /** The base table in ranges, one for each region. */
    List<ScrubRange> baseRanges() throws IOException;

    /** The index table in ranges, one for each region. */
    List<ScrubRange> indexRanges() throws IOException;

    /** The indexed columns of the rows of a range that have any. */
    void scanBase(ScrubRange range, Rows rows) throws IOException;

    /** The whole rows of a range of the index table. */
    void scanIndex(ScrubRange range, Rows rows) throws IOException;

    /** The indexed columns of base rows; an empty result for a row that has none. */
    Result[] baseRows(List<byte[]> rows) throws IOException;

    /** Rows of the index table; an empty result for one that is not there. */
    Result[] indexRows(List<byte[]> keys) throws IOException;

    /**
     * The stamp, for each of some base rows, after which no write of the row has had any, and no server's clock has been;
     * {@link Long#MAX_VALUE} if that is not known.
     */
    long[] latestStamps(List<byte[]> rows) throws IOException;

    /** Waits until the index updates accepted before the call are delivered; how many are not when the time is up. */
    long drain(Duration timeout) throws IOException;

    /** Has the servers of the base table derive the entries of rows again. */
    void repair(List<RowRepair> repairs) throws IOException;

    /** Deletes cells of the index table, as the index's own writer. */
    void delete(List<Delete> deletes) throws IOException;
}
