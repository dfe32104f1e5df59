package org.diffindex.server;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexedColumn;
import org.diffindex.model.UndecodableValueException;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.IndexMaintainer;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.queue.UpdateQueue;

/**
 * Writes the entries of rows that were in the region before the index was made, while writers go on.
 *
 * <p>An entry is put at its base timestamp. A write that comes in between, or came before and is seen late, has a later
 * stamp and wins, whichever arrives first. Only a row whose timestamp lies ahead of the clock is filled under its lock,
 * at a stamp of its own, or, if entries expire, at its timestamp, behind which the clock is set then. The AUQ merges no change from before a page with one from after it, so that the change that ends
 * an entry of the page knows it.
 */
final class IndexFill {
    private final RegionIndexes indexes;
    private final IndexMaintainer maintainer;
    private final IndexEntryFunction function;

    /** Whether the entries expire, so that each must have its base timestamp as its stamp. */
    private final boolean expires;

    private final List<IndexUpdate> updates = new ArrayList<>();
    private long rows;
    private long leftOut;

    IndexFill(RegionIndexes indexes, String index) throws IOException {
        this.indexes = indexes;
        this.maintainer = indexes.maintainers().all().stream()
                .filter(each -> each.definition().name().equals(index))
                .findFirst()
                .orElseThrow(() -> new DoNotRetryIOException("Index " + index + " is not defined on "
                        + indexes.region().getTableDescriptor().getTableName() + "; nothing was filled"));
        this.function = maintainer.function();
        this.expires =
                TimeToLive.limits(maintainer.definition(), indexes.region().getTableDescriptor());
    }

    /**
     * Fills a page: up to so many rows from the start row on.
     *
     * @param startRow null: from the region's first row
     */
    FillResponse page(byte[] startRow, int maxRows) throws IOException {
        UpdateQueue.Separation separation = indexes.queue().keepApart();
        try {
            return writePage(startRow, maxRows);
        } finally {
            separation.end();
        }
    }

    private FillResponse writePage(byte[] startRow, int maxRows) throws IOException {
        FillResponse.Builder response = FillResponse.newBuilder();
        try (RegionScanner scanner = indexes.region().getScanner(scan(startRow))) {
            List<Cell> cells = new ArrayList<>();
            boolean more = true;
            while (more) {
                more = scanner.next(cells);
                if (!cells.isEmpty() && rows == maxRows) {
                    response.setNextRow(ByteString.copyFrom(CellUtil.cloneRow(cells.get(0))));
                    break;
                }
                fill(cells);
                cells.clear();
            }
        }
        indexes.server().sink().write(updates);
        indexes.stats().countWritten(updates);
        return response.setRows(rows)
                .setEntries(updates.size())
                .setLeftOut(leftOut)
                .build();
    }

    private Scan scan(byte[] startRow) {
        Scan scan = new Scan().setCacheBlocks(false);
        if (startRow != null) {
            scan.withStartRow(startRow);
        }
        for (IndexedColumn column : maintainer.definition().columns()) {
            scan.addColumn(column.family(), column.qualifier());
        }
        return scan;
    }

    private void fill(List<Cell> cells) throws IOException {
        if (cells.isEmpty()) {
            return;
        }
        rows++;
        byte[] row = CellUtil.cloneRow(cells.get(0));
        try {
            Optional<IndexEntry> entry = function.strictEntryOf(row, cells);
            if (entry.isPresent() && isAhead(entry.get())) {
                fillAhead(row);
            } else {
                entry.ifPresent(found -> add(found, found.timestamp()));
            }
        } catch (UndecodableValueException e) {
            leftOut++;
        }
    }

    private boolean isAhead(IndexEntry entry) {
        return entry.timestamp() > indexes.server().platform().wallClock().millis();
    }

    /** A row that lies ahead of the clock: its entry gets a stamp that the row's next write will be later than. */
    private void fillAhead(byte[] row) throws IOException {
        RowLocks.Held lock = indexes.locks().acquire(List.of(new ImmutableBytesWritable(row)));
        try {
            List<Cell> now = new ArrayList<>();
            Scan scan = scan(row).withStopRow(row, true);
            try (RegionScanner scanner = indexes.region().getScanner(scan)) {
                scanner.next(now);
                now.replaceAll(KeyValueUtil::copyToNewKeyValue);
            }
            Optional<IndexEntry> entry = function.entryOf(row, now);
            if (entry.isPresent()) {
                add(
                        entry.get(),
                        expires ? raisedTo(entry.get(), row) : indexes.clock().next(row));
            }
        } finally {
            lock.release();
        }
    }

    /** The timestamp of an entry as its stamp, which every write of the row from now on will be later than. */
    private long raisedTo(IndexEntry entry, byte[] row) throws DoNotRetryIOException {
        if (!indexes.goOnFrom(entry.timestamp())) {
            throw new DoNotRetryIOException("Row '" + Bytes.toStringBinary(row) + "' has the timestamp "
                    + entry.timestamp()
                    + ", which is ahead of the server's clock, and its family has a TTL: its entry in"
                    + " index " + maintainer.definition().name() + " would not expire together with it. Delete or"
                    + " rewrite the cell, or have no TTL");
        }
        return entry.timestamp();
    }

    private void add(IndexEntry entry, long stamp) {
        updates.add(IndexUpdate.put(maintainer.definition().indexTable(), entry, stamp));
    }
}
