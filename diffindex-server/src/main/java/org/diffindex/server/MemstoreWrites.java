package org.diffindex.server;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.server.maintain.RecentWrites;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.queue.AppliedBatches;
import org.diffindex.server.queue.PendingBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the writes that enter a region's memstore, for their three readers: a flush, which covers undelivered
 * changes; the reader of past rows, which chooses its method by the number of recent writes; and compactions, which
 * must know of tombstones.
 *
 * <p>Thread-safe: used by handlers, the thread that flushes, and the thread that replays the WAL.
 */
final class MemstoreWrites {
    private static final Logger LOG = LoggerFactory.getLogger(MemstoreWrites.class);

    private final RecentWrites recent;
    private final AppliedBatches appliedBatches;
    private final RegionHistory history;
    private final CellsOfWrites cells;
    private final Runnable awaitVisible;
    private final LongPredicate isVisible;

    /** The batches that HBase may put into the memstore, or has, without a call of {@link #applied}. */
    private final Set<MiniBatch> unconfirmed = ConcurrentHashMap.newKeySet();

    /** Knows the cells of a region, visible or not. */
    @FunctionalInterface
    interface CellsOfWrites {
        /** Returns whether the region has cells of a row that the write with a log sequence number put there. */
        boolean exist(byte[] row, long sequence) throws IOException;
    }

    /**
     * Creates the record of a region's writes.
     *
     * @param awaitVisible waits until every write that is in the memstore is visible
     * @param isVisible returns whether the write with a log sequence number is visible if it is in the memstore
     */
    MemstoreWrites(
            RecentWrites recent,
            AppliedBatches appliedBatches,
            RegionHistory history,
            CellsOfWrites cells,
            Runnable awaitVisible,
            LongPredicate isVisible) {
        this.recent = recent;
        this.appliedBatches = appliedBatches;
        this.history = history;
        this.cells = cells;
        this.awaitVisible = awaitVisible;
        this.isVisible = isVisible;
    }

    /** Records an edit that is about to be appended to the WAL; the append gives the key its log sequence number. */
    void appending(WALKey key, WALEdit edit) {
        recent.add(key, edit.size());
    }

    /** The fate of a row of a batch that HBase failed after the WAL had received it. */
    enum Fate {
        /** HBase does not have it; a replay may restore it. */
        ABSENT,
        /** It is in the memstore nevertheless, perhaps not all of it, or in a file that has been flushed since. */
        PRESENT,
        /** One of the two; the region could not be read. */
        UNKNOWN
    }

    /**
     * Returns what became of each row of a batch that HBase failed after the WAL had received it. After a failed read
     * the others are not tried.
     */
    Map<ImmutableBytesWritable, Fate> fatesOf(MiniBatch batch) {
        Map<ImmutableBytesWritable, Fate> fates = new HashMap<>();
        try {
            for (ImmutableBytesWritable row : batch.rows()) {
                boolean isThere = cells.exist(row.copyBytes(), batch.sequence());
                fates.put(row, isThere ? Fate.PRESENT : Fate.ABSENT);
            }
        } catch (IOException | RuntimeException | LinkageError e) {
            LOG.warn("It is unknown whether a failed write is visible; its rows are looked at again", e);
            batch.rows().forEach(row -> fates.putIfAbsent(row, Fate.UNKNOWN));
        }
        return fates;
    }

    /** Waits until every write that is in the memstore is visible. The thread must have none in flight. */
    void awaitVisible() {
        awaitVisible.run();
    }

    /** Returns whether a batch is in the memstore, as {@link #applied} has recorded, and visible. */
    boolean shows(MiniBatch batch) {
        return !batch.pending().changes().isEmpty() && isVisible.test(batch.sequence()) && !isUnconfirmed(batch);
    }

    /** Records that HBase may put a batch into the memstore from now on, until {@link #applied} or {@link #ended}. */
    void logged(MiniBatch batch) {
        unconfirmed.add(batch);
    }

    /** Records that all of a batch is in the memstore. Must be called under HBase's lock against flushes. */
    void applied(MiniBatch batch, List<RowChange> changes) {
        record(batch, changes);
        unconfirmed.remove(batch);
    }

    /** Returns whether it is still to be found out which rows of a batch are in the memstore. */
    boolean isUnconfirmed(MiniBatch batch) {
        return unconfirmed.contains(batch);
    }

    /**
     * Records all rows of the batches that HBase has failed and not told of yet: it shows what is in the memstore, and
     * lets a flush take its snapshot, before it calls the hook for the failure. Must be called between the snapshot,
     * whose writes are all visible, and its files, and before the past is released.
     */
    synchronized void recordUnconfirmed() {
        for (MiniBatch batch : unconfirmed) {
            if (batch.isLogged() && isVisible.test(batch.sequence())) {
                failed(batch, batch.changesToRead(row -> true));
            }
        }
    }

    /** Records those rows of a failed batch that may be in the memstore, unless a flush has recorded all of them. */
    synchronized void failed(MiniBatch batch, List<RowChange> changes) {
        if (batch.pending().changes().isEmpty() && !changes.isEmpty()) {
            record(batch, changes);
        }
    }

    /** Ends a batch that was not {@link #applied}. */
    synchronized void ended(MiniBatch batch) {
        unconfirmed.remove(batch);
    }

    private void record(MiniBatch batch, List<RowChange> changes) {
        applied(batch.pending(), changes, batch.tombstones(), batch.sequence());
    }

    /**
     * Records a batch that is in the memstore. Must be called before a flush can take its snapshot: under HBase's lock
     * against flushes, or during WAL replay.
     *
     * @param cells the cells of the batch that may be tombstones
     * @param sequence the log sequence number of the batch
     */
    void applied(PendingBatch batch, List<RowChange> changes, Stream<Cell> cells, long sequence) {
        batch.applied(changes, appliedBatches);
        cells.forEach(cell -> history.applied(cell, sequence));
    }
}
