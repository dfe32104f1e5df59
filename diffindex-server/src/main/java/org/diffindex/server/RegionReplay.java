package org.diffindex.server;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.model.IndexSet;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.queue.PendingBatch;
import org.diffindex.server.queue.Spill;

/**
 * Receives the writes that HBase replays from the WAL before a region is open. Any index may lack them, and the region
 * cannot be read yet, so they wait in the AUQ, or on disk if the memory of the AUQs is used up. Confined to the thread
 * that opens the region.
 */
final class RegionReplay {
    private final Region region;
    private final RegionMaintainers maintainers;
    private final RegionStamps stamps;
    private final RowClock clock;
    private final Admission admission;
    private final MemstoreWrites memstore;
    private final AsynchronousUpdates queue;
    private final Spill spill;
    private final WalReplay wal;

    /** The log sequence number up to which each family that an index reads is flushed; null until {@link #begin}. */
    private Map<byte[], Long> flushed;

    /** The memory, in bytes, of replayed writes added since the last spill. */
    private long bytesHeld;

    /**
     * Creates a replay that has not begun.
     *
     * @param expiring the indexes whose entries expire by their stamps
     * @param queue hands changes to the region's AUQ
     */
    RegionReplay(
            Region region,
            RegionMaintainers maintainers,
            IndexSet expiring,
            RegionStamps stamps,
            Admission admission,
            MemstoreWrites memstore,
            AsynchronousUpdates queue,
            Spill spill) {
        this.region = region;
        this.maintainers = maintainers;
        this.stamps = stamps;
        this.clock = stamps.clock();
        this.admission = admission;
        this.memstore = memstore;
        this.queue = queue;
        this.spill = spill;
        this.wal = new WalReplay(
                region.getRegionInfo(), maintainers, expiring, this::newStamp, clock::raise, stamps::isAfterFiles);
    }

    /** Records the state of the region's files before the first replayed write. Idempotent. */
    void begin() {
        if (flushed == null) {
            stamps.filesAreOpen();
            flushed = new TreeMap<>(Bytes.BYTES_COMPARATOR);
            for (Store store : region.getStores()) {
                byte[] family = store.getColumnFamilyDescriptor().getName();
                if (maintainers.haveColumnOf(family)) {
                    flushed.put(family, store.getMaxSequenceId().orElse(0));
                }
            }
        }
    }

    /**
     * Adds a replayed write.
     *
     * @throws IOException if the stamps in the WAL entry cannot be read, or spilling fails
     */
    void add(WALKey key, WALEdit edit) throws IOException {
        begin();
        WalStamps logged = WalStamps.of(key);
        for (Cell cell : edit.getCells()) {
            if (!isStamp(cell, logged) && maintainers.concernedBy(cell)) {
                maintainers.raiseHorizon(cell.getTimestamp());
            }
            if (!logged.areOf(cell) && stamps.mayBeOfAServer(cell.getTimestamp())) {
                clock.raise(cell.getTimestamp());
            }
        }
        List<RowChange> changes = wal.changes(key, edit, flushed);
        Map<IndexSet, List<RowChange>> byIndexes = changes.stream()
                .collect(Collectors.groupingBy(RowChange::indexes, LinkedHashMap::new, Collectors.toList()));
        for (Map.Entry<IndexSet, List<RowChange>> some : byIndexes.entrySet()) {
            enqueue(some.getValue(), some.getKey(), edit);
        }
    }

    /** Returns whether a timestamp is a stamp according to the WAL entry, or belongs to a cell that no index reads. */
    private boolean isStamp(Cell cell, WalStamps logged) {
        return logged.areTimestamps(cell) && stamps.mayBeOfAServer(cell.getTimestamp());
    }

    /** Returns a stamp later than all given before, those in spill files included, and than the logged one. */
    private long newStamp(ImmutableBytesWritable row, long logged) {
        clock.raise(logged);
        return clock.nextReplayed(row);
    }

    private void enqueue(List<RowChange> changes, IndexSet indexes, WALEdit edit) throws IOException {
        long bytes = PendingBatch.bytesOf(changes.stream().mapToLong(RowChange::heapSize));
        PendingBatch pending = admission.admitWritten(bytes);
        long sequence = changes.get(0).lastSequence();
        memstore.applied(pending, changes, edit.getCells().stream(), sequence);
        queue.addReplayed(pending, indexes);
        pending.release();
        bytesHeld += bytes;
        if (spill.parkIfFull(bytesHeld)) {
            bytesHeld = 0;
        }
    }
}
