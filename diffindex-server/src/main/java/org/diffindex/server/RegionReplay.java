package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.queue.FlushBarrier;
import org.diffindex.server.queue.InFlight;
import org.diffindex.server.queue.QueueMemory;

/**
 * What the WAL brings of a region before it opens. Every index may lack it, and the region cannot be read yet, so it waits in
 * the AUQ, or on disk if there is much of it. Used by the one thread that opens the region.
 */
final class RegionReplay {
    private final RegionIndexes indexes;
    private final FlushBarrier barrier;
    private final WalReplay wal;

    /** The sequence number up to which each family was flushed before; null until the files are looked at. */
    private Map<byte[], Long> flushed;

    /** The memory, in bytes, of what was replayed and is not on disk. */
    private long bytesHeld;

    RegionReplay(RegionIndexes indexes, FlushBarrier barrier) {
        this.indexes = indexes;
        this.barrier = barrier;
        this.wal = new WalReplay(
                indexes.region().getRegionInfo(), indexes.maintainers(), indexes::expires, this::newStamp);
    }

    /** Looks at the files as they are before the first write of the WAL. */
    void begin() {
        if (flushed == null) {
            indexes.stamps().filesAreOpen();
            flushed = new TreeMap<>(Bytes.BYTES_COMPARATOR);
            for (Store store : indexes.region().getStores()) {
                flushed.put(
                        store.getColumnFamilyDescriptor().getName(),
                        store.getMaxSequenceId().orElse(0));
            }
        }
    }

    /** A write found in the WAL. */
    void add(WALKey key, WALEdit edit) throws IOException {
        begin();
        var logged = WalStamps.of(key);
        for (Cell cell : edit.getCells()) {
            if (!isStamp(cell, logged)) {
                indexes.maintainers().raiseHorizon(cell.getTimestamp());
            }
            if (logged.isEmpty() && indexes.stamps().mayBeOfAServer(cell.getTimestamp())) {
                indexes.clock().raise(cell.getTimestamp());
            }
        }
        List<RowChange> changes = wal.changes(key, edit, flushed);
        for (RowChange change : changes) {
            if (WalStamps.areOf(new ImmutableBytesWritable(change.row()), logged)) {
                indexes.clock().raise(change.lastStamp());
            }
        }
        if (!changes.isEmpty()) {
            queue(changes, edit);
        }
    }

    /** Whether a timestamp is a stamp, as the WAL entry tells, or that of a cell that no index reads. */
    private boolean isStamp(Cell cell, Optional<Map<ImmutableBytesWritable, WalStamps.Stamps>> logged) {
        boolean isTold = logged.isPresent()
                && (logged.get().isEmpty()
                        || !logged.get().containsKey(new ImmutableBytesWritable(CellUtil.cloneRow(cell))));
        return isTold && indexes.stamps().mayBeOfAServer(cell.getTimestamp());
    }

    /** Later than all that were given before, and than all that are given to the row in this replay. */
    private long newStamp(ImmutableBytesWritable row, long logged) throws IOException {
        indexes.clock().raise(logged);
        try {
            return indexes.clock().nextAndPassed(row);
        } catch (RegionTooBusyException e) {
            // The writes are made, and come faster than once in a millisecond: stamps go on ahead of the clock.
            indexes.clock().raise(indexes.clock().highest());
            return indexes.clock().nextAndPassed(row);
        }
    }

    private void queue(List<RowChange> changes, WALEdit edit) throws IOException {
        long bytes = InFlight.bytesOf(changes.stream().mapToLong(RowChange::heapSize));
        QueueMemory memory = indexes.server().memory();
        memory.reserve(bytes);
        InFlight inFlight = new InFlight(barrier.enter(), memory, bytes);
        inFlight.applied(changes, indexes.undelivered());
        long sequence = changes.get(0).lastSequence();
        edit.getCells().forEach(cell -> indexes.history().applied(cell, sequence));
        changes.forEach(change -> indexes.lacking(change, index -> true, inFlight));
        inFlight.letGo();
        bytesHeld += bytes;
        if (memory.isFull() && bytesHeld >= memory.worthAFile()) {
            indexes.spill().park();
            bytesHeld = 0;
        }
    }
}
