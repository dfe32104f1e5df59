package org.diffindex.server.maintain;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.ClassSize;
import org.apache.hbase.thirdparty.com.google.common.cache.Cache;
import org.apache.hbase.thirdparty.com.google.common.cache.CacheBuilder;
import org.apache.hbase.thirdparty.com.google.common.cache.RemovalListener;
import org.diffindex.model.IndexDefinition;

/**
 * The visible indexed cells of recently written rows of one region, and of rows that readers asked for, so that the
 * next write of such a row need not read it, and a reader need not look it up. The regions of a server share the memory
 * ({@link Shared}).
 *
 * <p>A row is remembered after a plain put whose effect is certain, and forgotten by its next write that concerns an
 * index, whatever that is: {@link #take} and {@link #remember} are called under the region's lock of the row ({@link
 * RowLocks}), between the moment when the write is visible and the release of the lock. So what is remembered is what
 * the row shows until its next write. A row that is read for a reader is remembered in an empty slot that was there
 * before the read, whoever reserved it, unless a write, which takes the slot away, has been completed since. The slot
 * says as of which read point, because a write that is visible may not have forgotten the row yet.
 *
 * <p>None of this holds where rows change without a write: under a TTL of a family or of a cell, or beside a coprocessor
 * that hides or drops cells. Such rows are not remembered. Nor does it hold when a flush or compaction drops cells that
 * HBase has shown until then, or shows others, as it may do after deletes of single versions and puts of the past: after
 * each of them everything is forgotten ({@link #forgetAll}).
 *
 * <p>Thread-safe.
 */
public class RowMemory {
    /**
     * What all regions of a server remember, bounded in bytes; roughly, the rows that were neither written nor confirmed
     * to a reader for longest go first. Thread-safe.
     */
    public static final class Shared {
        private final LongAdder bytes = new LongAdder();
        private final Cache<Key, Slot> slots;

        /** Creates an empty memory of that many bytes; with 0 nothing is remembered. */
        public Shared(long maxBytes) {
            RemovalListener<Key, Slot> removed = removal -> bytes.add(-removal.getValue().bytes);
            slots = CacheBuilder.newBuilder()
                    .maximumWeight(maxBytes)
                    .weigher((Key key, Slot slot) -> slot.bytes)
                    .removalListener(removed)
                    .build();
        }

        /** Returns the estimated memory, in bytes, that is in use. */
        public long bytes() {
            return bytes.sum();
        }

        private void put(Slot slot) {
            bytes.add(slot.bytes);
            slots.put(slot.key, slot);
        }

        /** Returns the slot that is there afterwards. */
        private Slot putIfAbsent(Slot slot) {
            Slot present = slots.asMap().putIfAbsent(slot.key, slot);
            if (present == null) {
                bytes.add(slot.bytes);
            }
            return present == null ? slot : present;
        }

        private void replace(Slot slot, Slot by) {
            if (slots.asMap().replace(slot.key, slot, by)) {
                bytes.add(by.bytes);
            }
        }
    }

    /**
     * A row of an open region.
     *
     * @param era identifies the region, and the time since it last forgot everything
     */
    private record Key(Object era, ImmutableBytesWritable row) {
        private static final int BYTES = ClassSize.align(ClassSize.OBJECT + 2 * ClassSize.REFERENCE)
                + ClassSize.align(ClassSize.OBJECT + ClassSize.REFERENCE + 2 * Integer.BYTES);

        long bytes() {
            return BYTES + ClassSize.sizeOfByteArray(row.getLength());
        }
    }

    /**
     * The place for what a row shows. Immutable; what is read later replaces it. It keeps no region alive that was closed
     * before it goes.
     */
    public static final class Slot {
        /** About what the cache needs for an entry of its own, and the slot's fields. */
        private static final int BYTES = 108;

        private final Shared shared;
        private final Key key;
        private final Optional<List<Cell>> cells;

        /** The sequence number of the last write that the cells may include; 0 if a write left them. */
        private final long readPoint;

        private final int bytes;

        private Slot(Shared shared, Key key, Optional<List<Cell>> cells, long readPoint) {
            this.shared = shared;
            this.key = key;
            this.cells = cells;
            this.readPoint = readPoint;
            long all = BYTES + key.bytes() + cells.map(RowChange::heapSizeOf).orElse(0L);
            this.bytes = (int) Math.min(Integer.MAX_VALUE, all);
        }

        /**
         * Remembers the visible indexed cells of the row after the write that reserved the slot, unless a later write has
         * taken it. Needs no lock.
         */
        public void fill(List<Cell> visible) {
            fill(visible, 0);
        }

        /**
         * Remembers the visible indexed cells of the row as of a read point that is later than the reservation of the
         * slot, unless a write has been completed since the reservation, or the slot has been filled. Needs no lock.
         */
        void fill(List<Cell> visible, long seenAt) {
            if (changesOnlyByWrites(visible)) {
                shared.replace(this, new Slot(shared, key, Optional.of(List.copyOf(visible)), seenAt));
            }
        }

        /** Removes the slot, unless it has been filled or is not there any more. */
        void giveUp() {
            shared.slots.asMap().remove(key, this);
        }
    }

    private static final RowMemory NONE = new RowMemory(new Shared(0), new LongAdder(), () -> false);

    private final Shared shared;
    private final LongAdder hits;
    private final BooleanSupplier isUsed;
    private volatile Object era = new Object();

    /** Creates the empty memory of a region without other coprocessors. */
    public RowMemory(Shared shared, LongAdder hits) {
        this(shared, hits, () -> true);
    }

    /**
     * Creates the empty memory of a region that is being opened.
     *
     * @param hits counts the rows that were not read because they were remembered
     * @param isUsed returns whether anything is remembered; first called when the region is open
     */
    public RowMemory(Shared shared, LongAdder hits, BooleanSupplier isUsed) {
        this.shared = shared;
        this.hits = hits;
        this.isUsed = isUsed;
    }

    /**
     * Returns whether the rows of a table may be remembered, and whether that serves any of its indexes: the columns of
     * its indexes change only by writes, and their writes or their readers ask what a row shows.
     */
    public static boolean isUsable(TableDescriptor table, Collection<IndexDefinition> indexes) {
        return indexes.stream()
                        .map(IndexDefinition::scheme)
                        .anyMatch(scheme -> !scheme.isAsynchronous() || scheme.hasSessions())
                && indexes.stream()
                        .flatMap(index -> index.readColumns().stream())
                        .map(column -> table.getColumnFamily(column.family()))
                        .allMatch(RowMemory::changesOnlyByWrites);
    }

    private static boolean changesOnlyByWrites(ColumnFamilyDescriptor family) {
        return family != null
                && family.getTimeToLive() == HConstants.FOREVER
                && family.getMinVersions() == 0
                && !family.isNewVersionBehavior();
    }

    /** Returns whether no cell has a TTL of its own, with which it can come from another cluster. */
    private static boolean changesOnlyByWrites(List<Cell> cells) {
        return cells.stream().noneMatch(RowMemory::hasTtl);
    }

    private static boolean hasTtl(Cell cell) {
        return PrivateCellUtil.getTag(cell, TagType.TTL_TAG_TYPE).isPresent();
    }

    /** Returns a memory that remembers nothing. */
    public static RowMemory none() {
        return NONE;
    }

    /** Returns whether anything is remembered. */
    boolean isUsed() {
        return isUsed.getAsBoolean();
    }

    /**
     * Returns what a locked row showed before the write that is being completed, if it is known, and forgets it.
     *
     * @param before the last sequence number before those of the write
     */
    public Optional<List<Cell>> take(byte[] row, long before) {
        if (!isUsed()) {
            return Optional.empty();
        }
        Slot slot = shared.slots.asMap().remove(key(row));
        return slot == null || slot.readPoint > before ? Optional.empty() : slot.cells;
    }

    /** Counts a row that was not read because it was remembered. */
    void countHit() {
        hits.increment();
    }

    /**
     * Returns what a row shows, if that is known. Needs no lock, but the row's lock must have been free at an earlier
     * moment of the same call: then the row showed this at that moment, or after a write that was completed since. Without
     * that, it may be what the row showed before a write that other readers have seen.
     */
    Optional<List<Cell>> known(ImmutableBytesWritable row) {
        Slot slot = shared.slots.getIfPresent(new Key(era, row));
        return slot == null ? Optional.empty() : slot.cells;
    }

    /** Returns what a row shows whose lock the caller holds, if that is known. */
    public Optional<List<Cell>> ofLocked(ImmutableBytesWritable row) {
        return isUsed() ? known(row) : Optional.empty();
    }

    /**
     * Returns the place for what a row shows, to be read after this call: also an empty one that a write has left, which
     * may never read its row, or that another reader has left. Needs no lock.
     */
    Slot reserveToRead(ImmutableBytesWritable row) {
        Slot slot = new Slot(shared, new Key(era, row), Optional.empty(), 0);
        Slot present = shared.putIfAbsent(slot);
        boolean isFilled = present.cells.isPresent();
        return isFilled ? slot : present; // the former is not there, and what fills it is lost
    }

    /** Forgets what a locked row showed, since a write whose effect is not certain wrote it. */
    public void forget(byte[] row) {
        var unused = take(row, 0);
    }

    /**
     * Forgets what all rows showed, and what is being read and would be remembered. Needs no lock. What was remembered
     * before is never found again, and goes by its age.
     */
    public void forgetAll() {
        era = new Object();
    }

    /** Returns the time since this last forgot everything; {@link #forgetAll} ends it. */
    Object era() {
        return era;
    }

    /** Remembers what a locked row shows after the write that is being completed, whatever it showed before. */
    public void remember(byte[] row, List<Cell> visible) {
        remember(row, visible, era);
    }

    /**
     * Remembers what a locked row shows after the write that is being completed, unless the era has ended in which it
     * was told from what the row showed before.
     */
    void remember(byte[] row, List<Cell> visible, Object told) {
        if (isUsed() && changesOnlyByWrites(visible)) {
            Key key = new Key(told, new ImmutableBytesWritable(row));
            shared.put(new Slot(shared, key, Optional.of(List.copyOf(visible)), 0));
        }
    }

    /** Returns the place for what a locked row shows after the write that is being completed, to be filled later. */
    public Slot reserve(byte[] row) {
        Slot slot = new Slot(shared, key(row), Optional.empty(), 0);
        if (isUsed()) {
            shared.put(slot);
        }
        return slot;
    }

    private Key key(byte[] row) {
        return new Key(era, new ImmutableBytesWritable(row));
    }
}
