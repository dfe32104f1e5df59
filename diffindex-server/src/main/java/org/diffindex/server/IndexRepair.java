package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ClassSize;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.Expiry;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.protocol.DiffIndexProtos.Repair;
import org.diffindex.protocol.DiffIndexProtos.RepairRequest;
import org.diffindex.protocol.DiffIndexProtos.RepairResponse;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.IndexMaintainer;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.queue.PendingBatch;
import org.diffindex.server.queue.UpdateQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recomputes the entries of some rows of the region, each from its row as it is now, and removes wrong entries, while
 * writes continue. Confined to one thread.
 *
 * <p>For the index, a repair is like a write of the row that changes nothing: under the row's lock it acquires the
 * row's next stamp s and reads the row. With e being the entry that the row should have,
 *
 * <ul>
 *   <li>e is put at s, with the base timestamp as its value, before a wrong entry is deleted; a late delete of an
 *       earlier write has an earlier stamp and does not affect it. If the index has e, the put changes nothing; if e is
 *       delayed, the wrong entry may be the only one by which readers find the row;
 *   <li>a wrong entry at any other key is deleted up to s: the write that put it had an earlier stamp, and the row as
 *       it is now, after all writes with earlier stamps, does not yield it;
 *   <li>a wrong entry whose stamp is later than s, which cannot be the stamp of a write of the row, is deleted at
 *       exactly its stamp.
 * </ul>
 *
 * <p>If the entries of the index expire, e is put with a TTL of its own, so that it expires with the row although s is
 * later than the row's timestamp, and what its key has up to s - 1 is deleted: HBase shows it again when e has expired. e is
 * not put at the row's timestamp: a write that another cluster dated may be older than a
 * tombstone at the key.
 *
 * <p>A row with a write whose outcome is unknown at a stamp up to s is left as it is, since a replay may restore the
 * write.
 *
 * <p>A later write has a later stamp than s: its puts are not deleted, and its deletes include e as it was put at s. By
 * these rules (ADR 2) a repair that is late, or repeated, or of an entry that is not wrong, is harmless. One exception:
 * an entry that a write puts at exactly the future stamp of a wrong entry of the same key is hidden while the tombstone
 * is kept; the next scrub finds it missing.
 *
 * <p>The AUQ merges queued changes of a row, and the merged change only knows the row before and after all of them. It
 * merges no change from before a repair with a later one, so that the next change knows the entry that the repair puts.
 *
 * <p>The updates name the index by its id: the table of a later index of the same name refuses them.
 *
 * <p>A repair holds a registration at the flush barrier until its updates are written, so that a close of the region
 * waits for it.
 */
final class IndexRepair {
    private static final Logger LOG = LoggerFactory.getLogger(IndexRepair.class);

    /** The memory, in bytes, of a put or delete of an entry without its key, which it contains twice. */
    private static final long MUTATION_BYTES =
            new EntryFormat("").put(new IndexEntry(new byte[1], 0), 0).heapSize();

    private final DirectWrites parts;
    private final RegionInfo region;
    private final RowOrder order;
    private final RepairRequest request;
    private final IndexMaintainer maintainer;
    private final Expiry expiry;
    private final List<IndexUpdate> updates = new ArrayList<>();

    /** Number of rows left as they are because a write of them failed in the WAL. */
    private int uncertain;

    /**
     * Creates the repair for one call.
     *
     * @throws IOException if the request is not for an index of this region
     */
    IndexRepair(DirectWrites parts, RepairRequest request) throws IOException {
        this.parts = parts;
        this.region = parts.region().getRegionInfo();
        this.order = parts.order();
        this.request = request;
        this.maintainer = NamedIndex.toRepair(region, parts.maintainers(), request);
        this.expiry = new Expiry(parts.region().getTableDescriptor(), List.of(maintainer.definition()));
    }

    /**
     * Repairs the named entries whose rows are in this region. Leaves a row as it is if it is written too often to be
     * given a stamp, or if a replay may restore a write of it with an earlier stamp than what would be put now.
     *
     * @throws DoNotRetryIOException if a key does not belong to its row; nothing was repaired
     * @throws IOException if the write is not admitted, a row cannot be read, or not all updates are known to be
     *     written
     */
    RepairResponse run() throws IOException {
        RepairResponse.Builder response = RepairResponse.newBuilder();
        Map<ImmutableBytesWritable, List<Repair>> byRow = new LinkedHashMap<>();
        for (int i = 0; i < request.getRepairsCount(); i++) {
            Repair repair = request.getRepairs(i);
            byte[] row = repair.getRow().toByteArray();
            if (!region.containsRow(row)) {
                response.addElsewhere(i);
            } else {
                requireKeyOfRow(repair, row);
                byRow.computeIfAbsent(new ImmutableBytesWritable(row), key -> new ArrayList<>())
                        .add(repair);
            }
        }
        PendingBatch pending = parts.admission().admit(bytesOf(byRow));
        UpdateQueue.Separation separation = parts.queue().keepApart();
        try {
            for (Map.Entry<ImmutableBytesWritable, List<Repair>> row : byRow.entrySet()) {
                try {
                    repair(row.getKey(), row.getValue());
                } catch (RegionTooBusyException e) {
                    LOG.debug("A row is not repaired, as it is written too often [region={}]", parts.regionName(), e);
                }
            }
            if (uncertain > 0) {
                LOG.info(
                        "{} rows are not repaired, since a write of theirs failed in the WAL and may come back [region={}]",
                        uncertain,
                        parts.regionName());
            }
            parts.indexTables().write(updates);
        } finally {
            separation.end();
            pending.release();
        }
        long puts = updates.stream().filter(IndexUpdate::isPut).count();
        return response.setPuts(puts).setDeletes(updates.size() - puts).build();
    }

    /**
     * Returns an estimate of the memory, in bytes, of the updates: two deletes for each named key, and a put and a delete
     * for each row.
     */
    private static long bytesOf(Map<ImmutableBytesWritable, List<Repair>> byRow) {
        return PendingBatch.bytesOf(byRow.entrySet().stream().mapToLong(row -> {
            long longestKey = 0;
            long deletes = 0;
            for (Repair repair : row.getValue()) {
                int length = repair.getKey().size();
                longestKey = Math.max(longestKey, ClassSize.sizeOfByteArray(length));
                deletes += 2 * bytesOfDelete(length);
            }
            return deletes
                    + 2
                            * (MUTATION_BYTES
                                    + 2 * Math.max(longestKey, row.getKey().getLength()));
        }));
    }

    /** Returns the memory, in bytes, of the delete of an entry, which contains its key twice. */
    static long bytesOfDelete(int keyLength) {
        return MUTATION_BYTES + 2L * ClassSize.sizeOfByteArray(keyLength);
    }

    private void requireKeyOfRow(Repair repair, byte[] row) throws DoNotRetryIOException {
        if (repair.hasKey() && !isKeyOf(maintainer, repair.getKey().toByteArray(), row)) {
            throw new DoNotRetryIOException("Repair refused, nothing was repaired: '"
                    + Bytes.toStringBinary(repair.getKey().toByteArray()) + "' is no key of row '"
                    + Bytes.toStringBinary(row) + "' in index "
                    + maintainer.definition().name() + "; scrub again");
        }
    }

    /** Returns whether a key can be decoded and belongs to a row. */
    static boolean isKeyOf(IndexMaintainer maintainer, byte[] key, byte[] row) {
        try {
            return Arrays.equals(row, maintainer.function().codec().decode(key).row());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private void repair(ImmutableBytesWritable row, List<Repair> repairs) throws IOException {
        long stamp;
        Optional<IndexEntry> entry;
        RowLocks.Held lock = order.lock(row);
        try {
            stamp = nextStamp(row, repairs);
            if (order.certainUpTo(row, stamp) < stamp) {
                uncertain++;
                return;
            }
            entry = maintainer.function().entryOf(row.get(), read(parts.region(), maintainer, row.get()));
            parts.memory().forget(row.copyBytes()); // in case it is wrong: the next write must find what is put here
        } finally {
            lock.release();
        }
        IndexDefinition index = maintainer.definition();
        byte[] successor = entry.map(IndexEntry::key).orElse(null);
        boolean isRightOneNamed = false;
        for (Repair repair : repairs) {
            byte[] key = repair.getKey().toByteArray();
            boolean isRightKey =
                    entry.filter(right -> Arrays.equals(right.key(), key)).isPresent();
            isRightOneNamed |= repair.hasKey() && isRightKey;
            if (repair.hasKey() && !isRightKey) {
                updates.add(IndexUpdate.delete(index, key, stamp, successor));
            }
            if (repair.hasKey() && repair.getStamp() > stamp) {
                updates.add(IndexUpdate.deleteExactly(index, key, repair.getStamp(), successor));
            }
        }
        if (entry.isPresent()) {
            put(entry.get(), stamp, isRightOneNamed);
        }
    }

    /**
     * Puts the right entry for as long as its row lives.
     *
     * @param isNamed whether its key is among those of wrong entries
     */
    private void put(IndexEntry right, long stamp, boolean isNamed) {
        IndexDefinition index = maintainer.definition();
        OptionalLong lifetime = expiry.lifetime(index, right, stamp);
        if (lifetime.isEmpty()) {
            updates.add(IndexUpdate.put(index, right, stamp));
            return;
        }
        boolean expiresLater = lifetime.getAsLong() >= 0;
        if (expiresLater) {
            updates.add(IndexUpdate.expiring(index, right, stamp, lifetime.getAsLong()));
        }
        if (expiresLater || isNamed) {
            updates.add(IndexUpdate.delete(index, right.key(), stamp - 1, right.key()));
        } // else the row expires before the stamp, and what its key has may be right until then
    }

    /** Returns a stamp for the row that none of the wrong entries has. */
    private long nextStamp(ImmutableBytesWritable row, List<Repair> repairs) throws RegionTooBusyException {
        Set<Long> taken =
                repairs.stream().filter(Repair::hasKey).map(Repair::getStamp).collect(Collectors.toSet());
        long stamp;
        do {
            stamp = order.nextStamp(row);
        } while (taken.contains(stamp));
        return stamp;
    }

    /** Returns the visible cells of a row that an index reads, regardless of who may read them. */
    static List<Cell> read(Region region, IndexMaintainer maintainer, byte[] row) throws IOException {
        Scan scan = maintainer.definition().addReadColumns(new Scan(new Get(row)));
        List<Cell> cells = new ArrayList<>();
        try (RegionScanner scanner = region.getScanner(scan)) {
            scanner.next(cells);
            cells.replaceAll(KeyValueUtil::copyToNewKeyValue);
        }
        return cells;
    }
}
