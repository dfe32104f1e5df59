package org.diffindex.server;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.Expiry;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.UndecodableValueException;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.IndexMaintainer;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.queue.UpdateQueue;

/**
 * Backfills the entries of one page of rows that were in the region before the index was created, while writes
 * continue. {@link PageLimits} bounds what a page reads, whether or not its rows have the indexed columns. Confined to
 * one thread.
 *
 * <p>An entry is put at its base timestamp. A write that the page has not seen must have a later stamp than that, so that
 * it wins, whichever arrives first. So the page asks the clock for a time that no later stamp precedes, waits for the
 * writes that may have got an earlier stamp before, and only then reads: what it does not see then has a stamp from that
 * time on. A row whose timestamp is from that time on too, for example because a client gave one that was slightly ahead
 * of the clock, is read again under its lock. Its entry is put at its timestamp if the clock has passed that, or if
 * entries expire, and otherwise at the row's next stamp; the row's later stamps are later. So are those that the
 * region's next server gives: {@link IndexTables} records the stamps of the entries, which the WAL does not tell, even
 * where they are timestamps.
 *
 * <p>A write that failed in the WAL, and that a replay may restore ({@link UncertainWrites}), may have an earlier stamp
 * than the timestamp of its row. The entry is put before that stamp then, so that the restored write can delete it. What
 * was written after it has put its entry itself. Where entries expire, a timestamp that is not before that stamp is
 * itself the stamp of a later write, at which its entry may be put again: clients give none there, and the region's
 * clock continues from those that they gave before.
 *
 * <p>The AUQ merges no change from before a page with a later one, so that the change that replaces an entry of the page
 * knows it. A write is visible before its change is in the AUQ; so the page waits, once it reads, for the writes that
 * it may see.
 *
 * <p>The entries name the index by its id: the table of a later index of the same name refuses them.
 */
final class BackfillPage {
    private final DirectWrites parts;
    private final Region region;
    private final RowOrder order;
    private final RegionStamps stamps;
    private final FillRequest request;
    private final IndexMaintainer maintainer;
    private final IndexEntryFunction function;

    /** Whether the entries expire, so that the stamp of each must be its base timestamp. */
    private final boolean expires;

    private final PageLimits limits;

    /** No write that the page does not see has an earlier stamp. */
    private long earliestUnseen;

    private final List<IndexUpdate> updates = new ArrayList<>();
    private long rows;
    private long leftOut;

    /**
     * Creates a page of a backfill.
     *
     * @throws IOException if the request is not for an index of this region, or not for a row of it
     */
    BackfillPage(DirectWrites parts, FillRequest request) throws IOException {
        this.parts = parts;
        this.region = parts.region();
        this.order = parts.order();
        this.stamps = parts.stamps();
        this.request = request;
        this.maintainer = NamedIndex.toBackfill(region.getRegionInfo(), parts.maintainers(), request);
        this.function = maintainer.function();
        this.expires =
                new Expiry(region.getTableDescriptor(), List.of(function.definition())).limits(function.definition());
        this.limits = new PageLimits(
                request.getMaxRows(), request.hasMaxMs() ? request.getMaxMs() : PageLimits.MAX_MS, parts.nanoTime());
    }

    /**
     * Backfills a page, up to the first of the request's limits.
     *
     * @throws IOException if rows cannot be read, or not all entries are known to be written
     */
    FillResponse page() throws IOException {
        UpdateQueue.Separation separation = parts.queue().keepApart();
        try {
            return writePage();
        } finally {
            separation.end();
        }
    }

    private FillResponse writePage() throws IOException {
        readRows();
        parts.indexTables().write(updates);
        FillResponse.Builder response = FillResponse.newBuilder()
                .setRows(rows)
                .setEntries(updates.size())
                .setLeftOut(leftOut)
                .setRowsRead(limits.rowsRead())
                .setRegionEnd(ByteString.copyFrom(region.getRegionInfo().getEndKey()));
        limits.nextRow().ifPresent(row -> response.setNextRow(ByteString.copyFrom(row)));
        return response.build();
    }

    private void readRows() throws IOException {
        Scan scan = function.definition()
                .addReadColumns(new Scan())
                .setCacheBlocks(false)
                .setFilter(limits);
        if (request.hasStartRow()) {
            scan.withStartRow(request.getStartRow().toByteArray());
        }
        if (request.hasStopRow()) {
            scan.withStopRow(request.getStopRow().toByteArray());
        }
        earliestUnseen = order.earliestFromNow();
        order.awaitWritesInFlight(); // which may have earlier stamps
        try (RegionScanner scanner = region.getScanner(scan)) {
            order.awaitWritesInFlight(); // which the scanner may show though the AUQ does not have them yet
            List<Cell> cells = new ArrayList<>();
            boolean more = true;
            while (more) {
                more = scanner.next(cells);
                backfill(cells);
                cells.clear();
            }
        }
    }

    private void backfill(List<Cell> cells) throws IOException {
        if (cells.isEmpty()) {
            return;
        }
        rows++;
        byte[] row = CellUtil.cloneRow(cells.get(0));
        try {
            Optional<IndexEntry> entry = function.strictEntryOf(row, cells);
            if (entry.isPresent()) {
                backfill(new ImmutableBytesWritable(row), entry.get());
            }
        } catch (UndecodableValueException e) {
            leftOut++;
        }
    }

    /** A write that fails from now on has a stamp that the page does not see. */
    private void backfill(ImmutableBytesWritable row, IndexEntry entry) throws IOException {
        long time = entry.timestamp();
        if (time >= earliestUnseen || order.certainUpTo(row, time) < time) {
            backfillLocked(row);
        } else {
            add(entry, time);
        }
    }

    /** Backfills a row as it is now, so that all of its later writes have later stamps than the entry. */
    private void backfillLocked(ImmutableBytesWritable row) throws IOException {
        RowLocks.Held lock = order.lock(row);
        try {
            Optional<IndexEntry> entry = function.entryOf(row.get(), IndexRepair.read(region, maintainer, row.get()));
            if (entry.isPresent()) {
                boolean isAhead = stamps.isAheadOfClock(entry.get().timestamp());
                long stamp = isAhead && !expires ? order.nextStamp(row) : ownTime(entry.get(), row);
                add(entry.get(), expires ? stamp : order.certainUpTo(row, stamp));
            }
        } finally {
            lock.release();
        }
    }

    /**
     * Returns the timestamp of an entry for use as its stamp; all later writes of the row get later ones.
     *
     * @throws DoNotRetryIOException if the timestamp is further ahead than the clocks of servers may differ
     */
    private long ownTime(IndexEntry entry, ImmutableBytesWritable row) throws DoNotRetryIOException {
        if (!stamps.mayBeOfAServer(entry.timestamp())) {
            throw new DoNotRetryIOException("Row '" + Bytes.toStringBinary(row.get()) + "' has the timestamp "
                    + entry.timestamp()
                    + ", which is ahead of the server's clock, and its family has a TTL: its entry in"
                    + " index " + maintainer.definition().name() + " would not expire together with it. Delete or"
                    + " rewrite the cell, or have no TTL");
        }
        order.passed(row, entry.timestamp());
        return entry.timestamp();
    }

    private void add(IndexEntry entry, long stamp) {
        IndexUpdate update = IndexUpdate.put(maintainer.definition(), entry, stamp);
        limits.add(update.heapSize());
        updates.add(update);
    }
}
