package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;

/**
 * Derives from a WAL entry the row changes for which it was written. Confined to the thread that opens the region.
 *
 * <p>A write that was stamped keeps the stamps with which it was logged ({@link WalStamps}). A write without stamps was
 * written before there was an index, or bypassed the coprocessor; its timestamps may be a client's and have no meaning.
 * Its rows are treated as in a repair: each gets a new stamp, later than all given before; the entry before the write
 * is deleted up to that stamp, and the entry after it is put at it. Therefore all later changes in the WAL get new
 * stamps too. Where entries expire by their stamp the timestamps are kept, since clients assign none there.
 */
final class WalReplay {
    private final RegionInfo region;
    private final RegionMaintainers maintainers;
    private final Predicate<Cell> expires;
    private final ToStamp newStamp;

    /** Whether a write without stamps was replayed. */
    private boolean givesNewStamps;

    /**
     * Returns the next stamp of a row, later than the one with which a write was logged, which is 0 if there was none.
     */
    @FunctionalInterface
    interface ToStamp {
        long next(ImmutableBytesWritable row, long logged) throws IOException;
    }

    /**
     * Creates a replay of the WAL entries of a region, which must be passed in log order.
     *
     * @param expires matches the cells whose timestamp must be the stamp of their entries
     * @param newStamp provides stamps for writes that have none
     */
    WalReplay(RegionInfo region, RegionMaintainers maintainers, Predicate<Cell> expires, ToStamp newStamp) {
        this.region = region;
        this.maintainers = maintainers;
        this.expires = expires;
        this.newStamp = newStamp;
    }

    /**
     * Returns the changes of the region's rows that concern an index. Stamps are derived only from cells of indexed
     * columns, since the others may have any timestamp.
     *
     * <p>HBase replays some writes of which it restores only the cells of some families, or none, because the files of
     * the other families contain them, as far as their log sequence numbers tell. A row of which it restores no such
     * cell has no change: its change was delivered, or written to disk, before the flush. Of any other row the change is
     * returned, though most often it was delivered too: a write whose sync of the WAL failed was never in the memstore,
     * so no flush covered it.
     *
     * <p>The files of a family may no longer tell what a row showed before the last write in them. So a change extends
     * from its write to the last write in any file, as of which the row is certainly readable.
     *
     * @param flushed the log sequence number up to which each family that an index reads is flushed
     * @throws IOException if the entry's stamps cannot be read, or a new stamp cannot be given
     */
    List<RowChange> changes(WALKey key, WALEdit edit, Map<byte[], Long> flushed) throws IOException {
        long sequence = key.getOrigLogSeqNum() > 0 ? key.getOrigLogSeqNum() : key.getSequenceId();
        long readable = flushed.values().stream().reduce(sequence, Math::max);
        WalStamps logged = WalStamps.of(key);
        Map<ImmutableBytesWritable, WalStamps.Stamps> timestamps = new LinkedHashMap<>();
        Set<ImmutableBytesWritable> restored = new HashSet<>();
        boolean toExpire = false;
        for (Cell cell : concerning(edit)) {
            ImmutableBytesWritable row = new ImmutableBytesWritable(CellUtil.cloneRow(cell));
            timestamps.merge(row, WalStamps.Stamps.at(cell.getTimestamp()), WalStamps.Stamps::and);
            toExpire |= expires.test(cell);
            if (sequence > flushed.getOrDefault(CellUtil.cloneFamily(cell), 0L)) {
                restored.add(row);
            }
        }
        timestamps.keySet().removeIf(row -> !restored.contains(row) || !region.containsRow(row.get()));
        givesNewStamps |= !toExpire && !timestamps.keySet().stream().allMatch(logged::areOf);
        List<RowChange> changes = new ArrayList<>(timestamps.size());
        for (Map.Entry<ImmutableBytesWritable, WalStamps.Stamps> row : timestamps.entrySet()) {
            WalStamps.Stamps stamps =
                    stampsOf(row.getKey(), logged.of(row.getKey(), row.getValue()), row.getValue(), toExpire);
            changes.add(RowChange.between(row.getKey().get(), sequence, readable, stamps.first(), stamps.last()));
        }
        return changes;
    }

    /** Returns the cells of an edit that concern an index. */
    private List<Cell> concerning(WALEdit edit) {
        return edit.getCells().stream()
                .filter(cell -> !WALEdit.isMetaEditFamily(cell) && maintainers.concernedBy(cell))
                .toList();
    }

    /** Returns the stamps of a row's change: new ones, or the logged ones; those of its cells if none were logged. */
    private WalStamps.Stamps stampsOf(
            ImmutableBytesWritable row,
            Optional<WalStamps.Stamps> logged,
            WalStamps.Stamps timestamps,
            boolean toExpire)
            throws IOException {
        return givesNewStamps && !toExpire
                ? newStamps(row, logged.map(WalStamps.Stamps::last).orElse(0L))
                : logged.orElse(timestamps);
    }

    private WalStamps.Stamps newStamps(ImmutableBytesWritable row, long logged) throws IOException {
        return WalStamps.Stamps.at(newStamp.next(row, logged));
    }
}
