package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
     * <p>HBase replays some writes that are already flushed, as far as the hooks can see. For such a write this returns
     * no change: its changes were delivered, or written to disk, before the flush, and the past of its rows may no
     * longer be readable.
     *
     * @param flushed the log sequence number up to which each family is flushed
     * @throws IOException if the entry's stamps cannot be read, or a new stamp cannot be given
     */
    List<RowChange> changes(WALKey key, WALEdit edit, Map<byte[], Long> flushed) throws IOException {
        long sequence = key.getOrigLogSeqNum() > 0 ? key.getOrigLogSeqNum() : key.getSequenceId();
        WalStamps logged = WalStamps.of(key);
        Map<ImmutableBytesWritable, WalStamps.Stamps> timestamps = new LinkedHashMap<>();
        boolean toExpire = false;
        for (Cell cell : edit.getCells()) {
            if (!WALEdit.isMetaEditFamily(cell) && maintainers.concernedBy(cell)) {
                if (sequence <= flushed.getOrDefault(CellUtil.cloneFamily(cell), 0L)) {
                    return List.of();
                }
                timestamps.merge(
                        new ImmutableBytesWritable(CellUtil.cloneRow(cell)),
                        WalStamps.Stamps.at(cell.getTimestamp()),
                        WalStamps.Stamps::and);
                toExpire |= expires.test(cell);
            }
        }
        timestamps.keySet().removeIf(row -> !region.containsRow(row.get()));
        givesNewStamps |= !toExpire && !timestamps.keySet().stream().allMatch(logged::areOf);
        List<RowChange> changes = new ArrayList<>(timestamps.size());
        for (Map.Entry<ImmutableBytesWritable, WalStamps.Stamps> row : timestamps.entrySet()) {
            Optional<WalStamps.Stamps> known = logged.of(row.getKey(), row.getValue());
            WalStamps.Stamps stamps = givesNewStamps && !toExpire
                    ? newStamps(row.getKey(), known.map(WalStamps.Stamps::last).orElse(0L))
                    : known.orElse(row.getValue());
            changes.add(RowChange.of(row.getKey().get(), sequence, stamps.first(), stamps.last()));
        }
        return changes;
    }

    private WalStamps.Stamps newStamps(ImmutableBytesWritable row, long logged) throws IOException {
        return WalStamps.Stamps.at(newStamp.next(row, logged));
    }
}
