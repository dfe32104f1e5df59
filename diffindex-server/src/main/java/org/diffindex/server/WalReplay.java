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
 * Makes out of a WAL entry the changes of rows that it was written for. Pure.
 *
 * <p>A write that was stamped has the stamps that it was logged with ({@link WalStamps}). One that was not was written before
 * there was an index, or past the coprocessor; its timestamps may be a client's, and mean nothing. Its rows are looked at again,
 * as a repair does: each gets a new stamp, later than all that were given before. What the row was before is deleted up to that
 * stamp, what it was after is put at it; and so all later changes in the WAL get new stamps too. Where entries expire by their
 * stamp the timestamps are kept, since no client gives any there.
 */
final class WalReplay {
    private final RegionInfo region;
    private final RegionMaintainers maintainers;
    private final Predicate<Cell> expires;
    private final ToStamp newStamp;

    /** There was a write without stamps. */
    private boolean givesNewStamps;

    /** Gives a row its next stamp, later than one that it was logged with, which is 0 if there was none. */
    @FunctionalInterface
    interface ToStamp {
        long next(ImmutableBytesWritable row, long logged) throws IOException;
    }

    /**
     * A replay of the WAL entries of a region, from the first to the last.
     *
     * @param expires holds of the cells whose timestamp must be the stamp of their entries
     * @param newStamp is asked for stamps of writes that have none
     */
    WalReplay(RegionInfo region, RegionMaintainers maintainers, Predicate<Cell> expires, ToStamp newStamp) {
        this.region = region;
        this.maintainers = maintainers;
        this.expires = expires;
        this.newStamp = newStamp;
    }

    /**
     * The changes of the region's rows that concern an index. A cell of no index may have any timestamp, so only the
     * others tell stamps.
     *
     * <p>HBase replays some writes that are flushed already, as far as the hooks can see. Of such a write there is none: its
     * changes were delivered, or put on disk, before the flush, and its row's past may be gone since.
     *
     * @param flushed the sequence number up to which each family is flushed
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
