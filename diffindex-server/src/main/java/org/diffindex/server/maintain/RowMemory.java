package org.diffindex.server.maintain;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.ClassSize;
import org.diffindex.model.IndexDefinition;

/**
 * The visible indexed cells of recently written rows of one region, so that the next write of such a row need not read
 * it. The regions of a server share the memory ({@link Shared}).
 *
 * <p>A row is remembered after a plain put whose effect is certain, and forgotten by its next write, whatever that is:
 * {@link #take} and {@link #remember} are called under the region's lock of the row ({@link RowLocks}), between the
 * moment when the write is visible and the release of the lock. So what is remembered is what the row shows until its
 * next write. That does not hold where rows change without a write, as under a TTL; such regions use {@link #none}.
 *
 * <p>Thread-safe.
 */
public class RowMemory {
    /** The bound, in bytes, on what all regions of a server remember. Thread-safe. */
    public static final class Shared {
        private final Cache<Key, Slot> slots;

        /** Creates an empty memory of that many bytes; with 0 nothing is remembered. */
        public Shared(long maxBytes) {
            slots = Caffeine.newBuilder()
                    .maximumWeight(maxBytes)
                    .weigher((Key key, Slot slot) -> slot.bytes(key))
                    .executor(Runnable::run)
                    .build();
        }

        /** Returns the estimated memory, in bytes, that is in use. */
        public long bytes() {
            return slots.policy()
                    .eviction()
                    .map(bound -> bound.weightedSize().orElse(0))
                    .orElse(0L);
        }
    }

    /** A row of a region that is open; when the region is opened again, it has another memory. */
    private record Key(RowMemory region, ImmutableBytesWritable row) {
        private static final int BYTES = ClassSize.align(ClassSize.OBJECT + 2 * ClassSize.REFERENCE)
                + ClassSize.align(ClassSize.OBJECT + ClassSize.REFERENCE + 2 * Integer.BYTES);

        long bytes() {
            return BYTES + ClassSize.sizeOfByteArray(row.getLength());
        }
    }

    /** The place for what a row shows after a write. */
    public final class Slot {
        /** About what the cache needs for an entry of its own. */
        private static final int BYTES = 100;

        private final Key key;

        /** Null until known. */
        private volatile List<Cell> cells;

        private Slot(Key key) {
            this.key = key;
        }

        /**
         * Remembers the visible indexed cells of the row after the write, unless a later write has taken the slot. Needs
         * no lock.
         */
        public void fill(List<Cell> visible) {
            cells = List.copyOf(visible);
            if (shared != null) {
                shared.slots.asMap().replace(key, this, this); // weighs it again
            }
        }

        private int bytes(Key of) {
            List<Cell> known = cells;
            long bytes = BYTES + of.bytes();
            if (known != null) {
                bytes += RowChange.heapSizeOf(known);
            }
            return (int) Math.min(Integer.MAX_VALUE, bytes);
        }
    }

    /** Null if nothing is remembered. */
    private final Shared shared;

    private final LongAdder hits;

    /**
     * Creates the empty memory of a region that is being opened.
     *
     * @param hits counts the rows that {@link #take} returned
     */
    public RowMemory(Shared shared, LongAdder hits) {
        this.shared = shared;
        this.hits = hits;
    }

    /**
     * Returns whether the rows of a table may be remembered, and whether that serves any of its indexes: the columns of
     * its indexes change only by writes, and a write of the row needs to know what it showed before.
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

    /** Returns a memory that remembers nothing. */
    public static RowMemory none() {
        return new RowMemory(null, new LongAdder());
    }

    /**
     * Returns what a locked row showed before the write that is being completed, if it is known, and forgets it.
     */
    public Optional<List<Cell>> take(byte[] row) {
        if (shared == null) {
            return Optional.empty();
        }
        Slot slot = shared.slots.asMap().remove(key(row));
        Optional<List<Cell>> known = slot == null ? Optional.empty() : Optional.ofNullable(slot.cells);
        if (known.isPresent()) {
            hits.increment();
        }
        return known;
    }

    /**
     * Returns what a row shows now, if that is known and no write of the row is in flight. Needs no lock.
     *
     * @param locks the locks of the region's rows
     */
    public Optional<List<Cell>> visible(byte[] row, RowLocks locks) {
        if (shared == null) {
            return Optional.empty();
        }
        Key key = key(row);
        Slot slot = shared.slots.asMap().get(key);
        if (slot == null || slot.cells == null || locks.isHeld(key.row)) {
            return Optional.empty();
        }
        // A write removes the slot before it releases the lock: if the slot is still there, no write has been completed
        // since it was found, and none was in flight at the moment when the lock was free.
        return shared.slots.asMap().get(key) == slot ? Optional.of(slot.cells) : Optional.empty();
    }

    /** Forgets what a locked row showed, since a write whose effect is not certain wrote it. */
    public void forget(byte[] row) {
        if (shared != null) {
            shared.slots.asMap().remove(key(row));
        }
    }

    /** Returns the place for what a locked row shows after the write that is being completed. */
    public Slot remember(byte[] row) {
        Slot slot = new Slot(key(row));
        if (shared != null) {
            shared.slots.put(slot.key, slot);
        }
        return slot;
    }

    private Key key(byte[] row) {
        return new Key(this, new ImmutableBytesWritable(row));
    }
}
