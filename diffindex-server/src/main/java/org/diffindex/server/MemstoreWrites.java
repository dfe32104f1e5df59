package org.diffindex.server;

import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.server.maintain.RecentWrites;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.queue.AppliedBatches;
import org.diffindex.server.queue.PendingBatch;

/**
 * Records the writes that enter a region's memstore, for their three readers: a flush, which covers undelivered
 * changes; the reader of past rows, which chooses its method by the number of recent writes; and compactions, which
 * must know of tombstones.
 *
 * <p>Thread-safe: used by handlers and by the thread that replays the WAL.
 */
final class MemstoreWrites {
    private final RecentWrites recent;
    private final AppliedBatches appliedBatches;
    private final RegionHistory history;

    MemstoreWrites(RecentWrites recent, AppliedBatches appliedBatches, RegionHistory history) {
        this.recent = recent;
        this.appliedBatches = appliedBatches;
        this.history = history;
    }

    /** Records an edit that is about to be appended to the WAL; the append gives the key its log sequence number. */
    void appending(WALKey key, WALEdit edit) {
        recent.add(key, edit.size());
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
