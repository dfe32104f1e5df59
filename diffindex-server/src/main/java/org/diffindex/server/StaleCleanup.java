package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.IndexMaintainer;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.metrics.IndexCounters;
import org.diffindex.server.queue.PendingBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes stale entries of an index whose scheme leaves them (paper, algorithm 2, SR2). Reports of readers are hints
 * only: each row is read here, on its own server, under its lock and with all its cells, whatever the reader may see of
 * them. A row that is remembered need not be read.
 *
 * <p>An entry is deleted only if
 *
 * <ul>
 *   <li>the row, including all its writes that were in flight, yields another entry or none;
 *   <li>if it yields another entry, the index table holds that, at the row's present timestamp or at a later one of a
 *       write that was lost: before that, readers find the row only by the old entry. This is not asked about an entry that
 *       an acknowledged write is known to have replaced: then readers find the row by the entry of that write, or, if that
 *       has been deleted here since, by the one for which it was;
 *   <li>no write of the row with the entry's stamp or an earlier one has an unknown outcome ({@link UncertainWrites}).
 * </ul>
 *
 * <p>The delete has the reported stamp, or the row's next one if that is lower, so that it does not hide a later write
 * of the same entry. If writes of the row have reported all of its entries, it is given no stamp: theirs are past.
 *
 * <p>A region has one instance for each index that leaves stale entries; the server's only cleanup thread runs it.
 */
final class StaleCleanup {
    private static final Logger LOG = LoggerFactory.getLogger(StaleCleanup.class);

    private final DirectWrites parts;
    private final IndexMaintainer maintainer;
    private final IndexCounters counters;

    /**
     * The entries of one row that are stale.
     *
     * @param present what the row yields instead
     * @param replaced the deletes of those that acknowledged writes have replaced
     * @param reported the deletes of the others
     */
    private record Stale(Optional<IndexEntry> present, List<IndexUpdate> replaced, List<IndexUpdate> reported) {}

    StaleCleanup(DirectWrites parts, IndexMaintainer maintainer, IndexCounters counters) {
        this.parts = parts;
        this.maintainer = maintainer;
        this.counters = counters;
    }

    /** Returns the region's name, for messages. */
    String regionName() {
        return parts.regionName();
    }

    /** Returns the index's name, for messages. */
    String indexName() {
        return maintainer.definition().name();
    }

    TableName indexTable() {
        return maintainer.definition().indexTable();
    }

    /**
     * Deletes the reported entries that are stale and whose rows are in this region. Keeps the entries of a row that is
     * written too often to be given a stamp.
     *
     * @throws IOException if the write is not admitted, a row or entry cannot be read, or not all deletes are known to
     *     be written
     */
    void run(List<StaleEntry> reported) throws IOException {
        Map<ImmutableBytesWritable, List<StaleEntry>> byRow = byRow(reported);
        Admission.Reservation reserved = parts.admission().reserve(bytesOf(byRow));
        try {
            List<Stale> stale = new ArrayList<>();
            for (Map.Entry<ImmutableBytesWritable, List<StaleEntry>> row : byRow.entrySet()) {
                try {
                    stale.add(staleOf(row.getKey(), row.getValue()));
                } catch (RegionTooBusyException e) {
                    LOG.debug("Stale entries of a row are left to a later read [region={}]", regionName(), e);
                }
            }
            List<IndexUpdate> deletes = dispensable(stale);
            if (!deletes.isEmpty()) {
                parts.admission().requireOpen(); // so that the close records the stamps that the rows were given here
                parts.indexTables().write(deletes);
                counters.staleDeleted.add(deletes.size());
            }
        } finally {
            reserved.release();
        }
    }

    private static long bytesOf(Map<ImmutableBytesWritable, List<StaleEntry>> byRow) {
        return PendingBatch.bytesOf(byRow.values().stream().mapToLong(entries -> entries.stream()
                .mapToLong(entry -> IndexRepair.bytesOfDelete(entry.key().length))
                .sum()));
    }

    private Map<ImmutableBytesWritable, List<StaleEntry>> byRow(List<StaleEntry> reported) {
        RegionInfo region = parts.region().getRegionInfo();
        Map<ImmutableBytesWritable, List<StaleEntry>> byRow = new LinkedHashMap<>();
        for (StaleEntry entry : reported) {
            byte[] row = entry.row();
            if (entry.stamp() >= 0 && region.containsRow(row) && IndexRepair.isKeyOf(maintainer, entry.key(), row)) {
                byRow.computeIfAbsent(new ImmutableBytesWritable(row), key -> new ArrayList<>())
                        .add(entry);
            }
        }
        return byRow;
    }

    private Stale staleOf(ImmutableBytesWritable row, List<StaleEntry> entries) throws IOException {
        long next;
        long certain;
        Optional<IndexEntry> present;
        RowOrder order = parts.order();
        RowLocks.Held lock = order.lock(row);
        try {
            next = entries.stream().allMatch(StaleEntry::isReplaced) ? Long.MAX_VALUE : order.nextStamp(row);
            certain = order.certainUpTo(row, next);
            present = maintainer.function().entryOf(row.get(), cellsOf(row));
        } finally {
            lock.release();
        }
        IndexDefinition index = maintainer.definition();
        List<IndexUpdate> replaced = new ArrayList<>(entries.size());
        List<IndexUpdate> reported = new ArrayList<>();
        for (StaleEntry entry : entries) {
            byte[] key = entry.key();
            boolean isUncertain = certain < next && certain < entry.stamp();
            if (!isUncertain
                    && present.filter(right -> Arrays.equals(right.key(), key)).isEmpty()) {
                (entry.isReplaced() ? replaced : reported)
                        .add(IndexUpdate.delete(index, key, Math.min(entry.stamp(), next), null));
            }
        }
        return new Stale(present, replaced, reported);
    }

    /** Returns the visible cells of a locked row that the index reads, and perhaps others. */
    private List<Cell> cellsOf(ImmutableBytesWritable row) throws IOException {
        Optional<List<Cell>> remembered = parts.memory().ofLocked(row);
        return remembered.isPresent() ? remembered.get() : IndexRepair.read(parts.region(), maintainer, row.get());
    }

    /** Returns the deletes of those entries without which readers find their rows. */
    private List<IndexUpdate> dispensable(List<Stale> stale) throws IOException {
        List<IndexUpdate> deletes = new ArrayList<>();
        List<Stale> moved = new ArrayList<>();
        for (Stale each : stale) {
            deletes.addAll(each.replaced);
            if (each.present.isEmpty()) {
                deletes.addAll(each.reported);
            } else if (!each.reported.isEmpty()) {
                moved.add(each);
            }
        }
        List<Get> gets = moved.stream()
                .map(each -> maintainer
                        .definition()
                        .entryFormat()
                        .get(each.present.get().key()))
                .toList();
        Result[] held = parts.indexTables().entries(maintainer.definition().indexTable(), gets);
        for (int i = 0; i < held.length; i++) {
            if (isPresent(held[i], moved.get(i).present.get())) {
                deletes.addAll(moved.get(i).reported);
            }
        }
        return deletes;
    }

    private boolean isPresent(Result held, IndexEntry present) {
        return !held.isEmpty()
                && maintainer.definition().entryFormat().entryOf(held).isAsNewAs(present);
    }
}
