package org.diffindex.server;

import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.filter.FilterBase;

/**
 * Ends the scan of a fill before the first row that exceeds one of the page's limits, and remembers that row. HBase asks
 * for each row that it comes to, also for those that have none of the scanned columns. The first row is always read, so
 * that each page makes progress. For the one scan of a page; never sent to another server.
 */
final class PageLimits extends FilterBase {
    /** The most rows of a page, whatever is asked for: their blocks stay in memory until the page is over. */
    static final int MAX_ROWS = 100_000;

    /** The most milliseconds that a page reads, whatever is asked for: a quarter of HBase's default RPC time-out. */
    static final int MAX_MS = 15_000;

    /** The memory, in bytes, of entries after which a page ends. */
    static final long MAX_BYTES = 4 << 20;

    private final int maxRows;
    private final long deadline;
    private final LongSupplier nanoTime;
    private byte[] lastRow = {};
    private long rowsRead;
    private long bytes;
    private byte[] nextRow;

    /** Limits that count from now on. */
    PageLimits(int maxRows, int maxMs, LongSupplier nanoTime) {
        this.maxRows = Math.min(maxRows, MAX_ROWS);
        this.deadline = nanoTime.getAsLong() + Math.min(maxMs, MAX_MS) * 1_000_000L;
        this.nanoTime = nanoTime;
    }

    @Override
    public boolean filterRowKey(Cell firstOfRow) {
        if (nextRow != null || CellUtil.matchingRows(firstOfRow, lastRow)) {
            return nextRow != null; // HBase may ask for a row twice
        }
        byte[] row = CellUtil.cloneRow(firstOfRow);
        if (rowsRead > 0 && isReached()) {
            nextRow = row;
            return true;
        }
        lastRow = row;
        rowsRead++;
        return false;
    }

    private boolean isReached() {
        return rowsRead >= maxRows || bytes >= MAX_BYTES || nanoTime.getAsLong() - deadline >= 0;
    }

    @Override
    public boolean filterAllRemaining() {
        return nextRow != null;
    }

    /** The page holds an entry of so many bytes. */
    void add(long entryBytes) {
        bytes += entryBytes;
    }

    /** The rows read so far. */
    long rowsRead() {
        return rowsRead;
    }

    /** The first row that was not read because of a limit; empty if the scan came to its end. */
    Optional<byte[]> nextRow() {
        return Optional.ofNullable(nextRow);
    }
}
