package org.diffindex.server;

import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.filter.FilterBase;

/**
 * Ends the scan of a backfill page before the first row that exceeds one of the page's limits, and records that row.
 * HBase calls this for each row that it reaches, including rows without any of the scanned columns. The first row is
 * always read, so that each page makes progress. For a single scan; never sent to another server.
 */
final class PageLimits extends FilterBase {
    /**
     * The maximum number of rows of a page, regardless of the request: their blocks stay in memory until the page ends.
     */
    static final int MAX_ROWS = 100_000;

    /**
     * The maximum time in milliseconds that a page reads, regardless of the request: a quarter of HBase's default RPC
     * timeout.
     */
    static final int MAX_MS = 15_000;

    /** The memory of entries, in bytes, after which a page ends. */
    static final long MAX_BYTES = 4 << 20;

    private final int maxRows;
    private final long deadline;
    private final LongSupplier nanoTime;
    private byte[] lastRow = {};
    private long rowsRead;
    private long bytes;
    private byte[] nextRow;

    /** Creates limits that apply from now on. */
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

    /** Adds the memory, in bytes, of an entry to the page. */
    void add(long entryBytes) {
        bytes += entryBytes;
    }

    /** Returns the number of rows read so far. */
    long rowsRead() {
        return rowsRead;
    }

    /** Returns the first row that was not read because of a limit; empty if the scan reached its end. */
    Optional<byte[]> nextRow() {
        return Optional.ofNullable(nextRow);
    }
}
