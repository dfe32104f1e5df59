package org.diffindex.server;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;

/** Makes out of a WAL entry the changes of rows that it was written for. Pure. */
final class WalReplay {
    /** The attribute of a WAL key that holds what {@link MiniBatch#stampsForWal} made. */
    static final String STAMPS_ATTRIBUTE = "diffindex.stamps";

    private WalReplay() {}

    /** First and last stamp of a row's writes. */
    private record Stamps(long first, long last) {
        Stamps with(long stamp) {
            return new Stamps(Math.min(first, stamp), Math.max(last, stamp));
        }
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
    static List<RowChange> changes(
            WALKey key, WALEdit edit, RegionInfo region, RegionMaintainers maintainers, Map<byte[], Long> flushed) {
        long sequence = key.getOrigLogSeqNum() > 0 ? key.getOrigLogSeqNum() : key.getSequenceId();
        Map<ImmutableBytesWritable, Stamps> logged = loggedStamps(key.getExtendedAttribute(STAMPS_ATTRIBUTE));
        Map<ImmutableBytesWritable, Stamps> rows = new LinkedHashMap<>();
        for (Cell cell : edit.getCells()) {
            if (!WALEdit.isMetaEditFamily(cell) && maintainers.concernedBy(cell)) {
                if (sequence <= flushed.getOrDefault(CellUtil.cloneFamily(cell), 0L)) {
                    return List.of();
                }
                ImmutableBytesWritable row = new ImmutableBytesWritable(CellUtil.cloneRow(cell));
                Stamps ofCell = new Stamps(cell.getTimestamp(), cell.getTimestamp());
                rows.merge(row, ofCell, (stamps, other) -> stamps.with(other.first()));
            }
        }
        List<RowChange> changes = new ArrayList<>();
        rows.forEach((row, stampsOfCells) -> {
            if (region.containsRow(row.get())) {
                Stamps stamps = logged.getOrDefault(row, stampsOfCells);
                changes.add(RowChange.of(row.get(), sequence, stamps.first(), stamps.last()));
            }
        });
        return changes;
    }

    private static Map<ImmutableBytesWritable, Stamps> loggedStamps(byte[] attribute) {
        Map<ImmutableBytesWritable, Stamps> logged = new HashMap<>();
        if (attribute != null) {
            ByteBuffer in = ByteBuffer.wrap(attribute);
            while (in.hasRemaining()) {
                byte[] row = new byte[in.getInt()];
                in.get(row);
                logged.put(new ImmutableBytesWritable(row), new Stamps(in.getLong(), in.getLong()));
            }
        }
        return logged;
    }
}
