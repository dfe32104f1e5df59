package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.model.IndexSet;
import org.diffindex.server.maintain.IndexMaintainer;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;

/**
 * Derives from a WAL entry the row changes for which it was written. Confined to the thread that opens the region.
 *
 * <p>A write that was stamped keeps the stamps with which it was logged ({@link WalStamps}). A write without stamps was
 * written before there was an index, or bypassed the coprocessor; its timestamps may be a client's and have no meaning.
 * Its rows are treated as in a repair: each gets a new stamp, later than all given before; the entry before the write
 * is deleted up to that stamp, and the entry after it is put at it. Therefore all later changes in the WAL get new
 * stamps too.
 *
 * <p>So do the changes from the first write on whose logged stamp is not later than all stamps in the region's spill
 * files. A replay that failed may have given stamps to writes and flushed them, or parked their changes. HBase does not
 * replay again what is flushed, so that nothing but the files tells that the writes that follow need later stamps.
 *
 * <p>An index whose entries expire by their stamps gets no new ones: the logged stamps are kept, or else the timestamps,
 * since clients assign none there. So a row of which indexes of both kinds read a column has two changes, one for each
 * kind.
 */
final class WalReplay {
    private final RegionInfo region;
    private final RegionMaintainers maintainers;
    private final IndexSet expiring;
    private final IndexSet lasting;
    private final ToStamp newStamp;
    private final LongConsumer kept;
    private final LongPredicate isAfterFiles;

    /** Whether a write was replayed that has no stamps, or earlier ones than a change in a spill file may have. */
    private boolean givesNewStamps;

    /**
     * Returns the next stamp of a row, later than the one with which a write was logged, which is 0 if there was none.
     */
    @FunctionalInterface
    interface ToStamp {
        long next(ImmutableBytesWritable row, long logged);
    }

    /**
     * Creates a replay of the WAL entries of a region, which must be passed in log order.
     *
     * @param expiring the indexes whose entries expire by their stamps
     * @param newStamp provides stamps for writes that have none, later than all in the region's spill files
     * @param kept receives the logged stamps that are kept
     * @param isAfterFiles returns whether a stamp is later than all in the region's spill files
     */
    WalReplay(
            RegionInfo region,
            RegionMaintainers maintainers,
            IndexSet expiring,
            ToStamp newStamp,
            LongConsumer kept,
            LongPredicate isAfterFiles) {
        this.region = region;
        this.maintainers = maintainers;
        this.expiring = expiring;
        this.lasting = IndexSet.all()
                .without(maintainers.all().stream()
                        .map(IndexMaintainer::definition)
                        .filter(expiring::contains)
                        .toList());
        this.newStamp = newStamp;
        this.kept = kept;
        this.isAfterFiles = isAfterFiles;
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
     * @throws IOException if the entry's stamps cannot be read
     */
    List<RowChange> changes(WALKey key, WALEdit edit, Map<byte[], Long> flushed) throws IOException {
        long sequence = key.getOrigLogSeqNum() > 0 ? key.getOrigLogSeqNum() : key.getSequenceId();
        long readable = flushed.values().stream().reduce(sequence, Math::max);
        WalStamps logged = WalStamps.of(key);
        Set<ImmutableBytesWritable> restored = restoredRows(edit, sequence, flushed);
        Map<ImmutableBytesWritable, WalStamps.Stamps> toExpire = timestamps(edit, expiring, restored);
        Map<ImmutableBytesWritable, WalStamps.Stamps> toLast = timestamps(edit, lasting, restored);
        givesNewStamps |=
                !toLast.entrySet().stream().allMatch(row -> keepsStamps(row.getKey(), row.getValue(), logged));
        List<RowChange> changes = new ArrayList<>(toExpire.size() + toLast.size());
        toExpire.forEach((row, timestamps) -> {
            Optional<WalStamps.Stamps> own = logged.of(row, timestamps);
            own.ifPresent(stamps -> kept.accept(stamps.last()));
            WalStamps.Stamps stamps = own.orElse(timestamps);
            changes.add(change(row, sequence, readable, stamps).onlyFor(expiring));
        });
        for (Map.Entry<ImmutableBytesWritable, WalStamps.Stamps> row : toLast.entrySet()) {
            WalStamps.Stamps stamps = stampsOf(row.getKey(), logged.of(row.getKey(), row.getValue()));
            changes.add(change(row.getKey(), sequence, readable, stamps).onlyFor(lasting));
        }
        return changes;
    }

    /** Returns whether the writes of a row were logged with stamps that no change in a spill file contradicts. */
    private boolean keepsStamps(ImmutableBytesWritable row, WalStamps.Stamps timestamps, WalStamps logged) {
        return logged.of(row, timestamps)
                .filter(stamps -> isAfterFiles.test(stamps.last()))
                .isPresent();
    }

    /** Returns the region's rows of which HBase restores a cell that concerns an index. */
    private Set<ImmutableBytesWritable> restoredRows(WALEdit edit, long sequence, Map<byte[], Long> flushed) {
        Set<ImmutableBytesWritable> rows = new HashSet<>();
        for (Cell cell : concerning(edit, IndexSet.all())) {
            if (sequence > flushed.getOrDefault(CellUtil.cloneFamily(cell), 0L)) {
                rows.add(rowOf(cell));
            }
        }
        rows.removeIf(row -> !region.containsRow(row.get()));
        return rows;
    }

    /** Returns, for those of some rows that have any, the range of the timestamps of the cells that concern some indexes. */
    private Map<ImmutableBytesWritable, WalStamps.Stamps> timestamps(
            WALEdit edit, IndexSet indexes, Set<ImmutableBytesWritable> rows) {
        Map<ImmutableBytesWritable, WalStamps.Stamps> timestamps = new LinkedHashMap<>();
        for (Cell cell : concerning(edit, indexes)) {
            timestamps.merge(rowOf(cell), WalStamps.Stamps.at(cell.getTimestamp()), WalStamps.Stamps::and);
        }
        timestamps.keySet().retainAll(rows);
        return timestamps;
    }

    /** Returns the cells of an edit that concern some indexes. */
    private List<Cell> concerning(WALEdit edit, IndexSet indexes) {
        return edit.getCells().stream()
                .filter(cell -> !WALEdit.isMetaEditFamily(cell) && maintainers.concernedBy(cell, indexes))
                .toList();
    }

    private static ImmutableBytesWritable rowOf(Cell cell) {
        return new ImmutableBytesWritable(CellUtil.cloneRow(cell));
    }

    private static RowChange change(ImmutableBytesWritable row, long sequence, long readable, WalStamps.Stamps stamps) {
        return RowChange.between(row.get(), sequence, readable, stamps.first(), stamps.last());
    }

    /** Returns the stamps of a row's change for the indexes whose entries do not expire: new ones, or the logged ones. */
    private WalStamps.Stamps stampsOf(ImmutableBytesWritable row, Optional<WalStamps.Stamps> logged) {
        if (givesNewStamps) {
            return newStamps(row, logged.map(WalStamps.Stamps::last).orElse(0L));
        }
        kept.accept(logged.orElseThrow().last());
        return logged.get();
    }

    private WalStamps.Stamps newStamps(ImmutableBytesWritable row, long logged) {
        return WalStamps.Stamps.at(newStamp.next(row, logged));
    }
}
