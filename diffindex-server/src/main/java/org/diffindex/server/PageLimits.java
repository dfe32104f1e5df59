package org.diffindex.server;

import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.filter.FilterBase;

/**
 * Ends the scan of a backfill page at the first row that it reaches after one of the page's limits is reached, and
 * records that row. HBase calls this for each row that has a cell in a scanned family, including rows without any of
 * the scanned columns. The first row is always read, so that each page makes progress. The limits are checked between
 * rows only: a single row, or cells that HBase skips, may take longer. Not thread-safe; for a single scan; never sent
 * to another server.
 */
final class PageLimits extends FilterBase {
    /**
     * The maximum number of rows of a page, whatever the request says: their blocks stay in memory until the page ends.
     */
    static final int MAX_ROWS = 100_000;

    /**
     * The time in milliseconds after which a page ends, whatever the request says: a quarter of HBase's default RPC
     * timeout.
     */
    static final int MAX_MS = 15_000;

    /** The memory of the page's entries, in bytes, after which a page ends. */
    static final long MAX_BYTES = 4 << 20;

    private final int maxRows;
    private final long deadline;
    private final LongSupplier nanoTime;
    private byte[] lastRow = {};
    private long rowsRead;
    private long bytes;
    private byte[] nextRow;

    /**
     * Creates the limits of a page that begins now. Limits of 0 or less end the page after its first row.
     *
     * @param maxRows the requested number of rows; {@link #MAX_ROWS} at most
     * @param maxMs the requested time in milliseconds; {@link #MAX_MS} at most
     * @param nanoTime as {@link System#nanoTime}
     */
    PageLimits(int maxRows, int maxMs, LongSupplier nanoTime) {
        this.maxRows = Math.min(maxRows, MAX_ROWS);
        this.deadline = nanoTime.getAsLong() + Math.min(maxMs, MAX_MS) * 1_000_000L;
        this.nanoTime = nanoTime;
    }

    @Override
    public boolean filterRowKey(Cell firstOfRow) {
        if (nextRow != null || CellUtil.matchingRows(firstOfRow, lastRow)) {
            return nextRow != null; // HBase may call this twice for a row
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

    /** Adds an entry of the given size, in bytes of memory, to the page. */
    void add(long entryBytes) {
        bytes += entryBytes;
    }

    /** Returns the number of rows read so far, including rows without any of the scanned columns. */
    long rowsRead() {
        return rowsRead;
    }

    /** Returns the first row that was not read because of a limit; empty if no limit has ended the scan. */
    Optional<byte[]> nextRow() {
        return Optional.ofNullable(nextRow);
    }
}
