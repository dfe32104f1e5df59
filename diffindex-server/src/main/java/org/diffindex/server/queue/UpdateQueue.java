package org.diffindex.server.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ClassSize;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.RowChange;

/**
 * The AUQ of one region: the changes of base rows whose index updates are still to be made, oldest first.
 *
 * <p>Changes of one row that wait together become one, from the row before the first to the row after the last; what lay
 * between never travels. That is right only because a row's changes are added in the order in which they happened. A
 * change found in the WAL or on disk is kept apart, since the index may have seen any of them. Updates that were made but could not
 * be sent come first again.
 *
 * <p>Safe for use by many threads.
 */
public final class UpdateQueue {
    /**
     * The memory, in bytes, that a change takes here beside its own: its item with the one batch that it holds, its row as a
     * key, its place in the map (a linked entry, and two slots), and that in its batch's list.
     */
    static final int BYTES_AROUND_A_CHANGE =
            ClassSize.align(ClassSize.OBJECT + 5 * ClassSize.REFERENCE + Bytes.SIZEOF_LONG + Bytes.SIZEOF_BOOLEAN)
                    + ClassSize.align(ClassSize.OBJECT + 2 * ClassSize.REFERENCE)
                    + ClassSize.align(ClassSize.OBJECT + ClassSize.REFERENCE + 2 * Bytes.SIZEOF_INT)
                    + ClassSize.align(ClassSize.OBJECT + 5 * ClassSize.REFERENCE + Bytes.SIZEOF_INT)
                    + 3 * ClassSize.REFERENCE;

    /** The change of a row that waits, for the indexes of which the predicate holds. */
    final class Item {
        private final long sinceNanos;

        /** Mostly one: a list that can grow would take twice the memory. */
        private List<InFlight> held = List.of();

        private final Predicate<IndexDefinition> indexes;
        private final List<IndexUpdate> updates;
        private RowChange change;

        /** Whether it is one of {@link #lacking}; the same change may wait in another item, for other indexes. */
        private boolean isLacking;

        private Item(RowChange change, Predicate<IndexDefinition> indexes, List<IndexUpdate> updates, long sinceNanos) {
            this.change = change;
            this.indexes = indexes;
            this.updates = updates;
            this.sinceNanos = sinceNanos;
        }

        RowChange change() {
            return change;
        }

        /** The indexes that lack it. */
        Predicate<IndexDefinition> indexes() {
            return indexes;
        }

        /** The updates, if they are worked out; else null. */
        List<IndexUpdate> updates() {
            return updates;
        }

        long sinceNanos() {
            return sinceNanos;
        }

        private void hold(InFlight batch) {
            if (held.isEmpty()) {
                held = List.of(batch);
            } else {
                held = held.size() == 1 ? new ArrayList<>(held) : held;
                held.add(batch);
            }
        }

        long heapSize() {
            long size = BYTES_AROUND_A_CHANGE + change.heapSize();
            if (updates != null) {
                for (IndexUpdate update : updates) {
                    size += update.heapSize();
                }
            }
            return size;
        }

        /** The updates are durable, or the change is on disk. */
        void done() {
            if (isLacking) {
                forgetLacking(change);
            }
            held.forEach(InFlight::letGo);
        }

        /** Whether a synchronous index may lack it too. */
        boolean isLacking() {
            return isLacking;
        }

        boolean isFromDisk() {
            return held.get(0).isFromDisk();
        }

        /** The oldest stay of the batches that it is of. */
        FlushBarrier.Stay oldestStay() {
            return held.stream()
                    .map(InFlight::stay)
                    .min(Comparator.naturalOrder())
                    .orElseThrow();
        }

        /** The same item with its updates worked out, so that trying again sends the same. */
        Item ready(List<IndexUpdate> worked) {
            Item item = new Item(change, indexes, worked, sinceNanos);
            item.held = held;
            item.isLacking = isLacking;
            return item;
        }
    }

    private final Map<ImmutableBytesWritable, Item> changes = new LinkedHashMap<>();
    private final Deque<Item> apart = new ArrayDeque<>();
    private final Deque<Item> undelivered = new ArrayDeque<>();

    /** By row, the changes that synchronous indexes may lack too, until they are delivered; mostly empty. */
    private final Map<ImmutableBytesWritable, List<RowChange>> lacking = new HashMap<>();

    /** How many need the changes kept apart. */
    private int separations;

    /** The region is closed; nothing is taken in any more. */
    private boolean cleared;

    /** While this lasts, and across its end, no changes are merged. End it exactly once. */
    public final class Separation {
        private Separation() {}

        public void end() {
            synchronized (UpdateQueue.this) {
                separations--;
                apart.addAll(changes.values());
                changes.clear();
            }
        }
    }

    /**
     * For who reads rows and writes their entries past the queue. If a change from before the reading were merged with one
     * from after it, the entry that the row had in between would be in neither image, and nobody would delete it.
     */
    public synchronized Separation keepApart() {
        separations++;
        return new Separation();
    }

    /** Adds a change. Changes of one row must be added in the order in which they happened. */
    public synchronized void add(RowChange change, InFlight inFlight, long nowNanos) {
        ImmutableBytesWritable row = new ImmutableBytesWritable(change.row());
        Item item = changes.get(row);
        if (separations > 0) {
            item = new Item(change, IndexDefinition::isAsynchronous, null, nowNanos);
            apart.add(item);
        } else if (item == null) {
            item = new Item(change, IndexDefinition::isAsynchronous, null, nowNanos);
            changes.put(row, item);
        } else {
            item.change = item.change.mergedWith(change);
        }
        item.hold(inFlight.hold());
    }

    /** Adds a change that any of the given indexes may lack, and may have seen a part of: one found in the WAL, or on disk. */
    public synchronized void addReplayed(
            RowChange change, Predicate<IndexDefinition> indexes, InFlight inFlight, long nowNanos) {
        if (cleared) {
            return;
        }
        // What waits of the row must not be merged with what comes: the entry between would be in neither image.
        Item earlier = changes.remove(new ImmutableBytesWritable(change.row()));
        if (earlier != null) {
            apart.add(earlier);
        }
        Item item = new Item(change, indexes, null, nowNanos);
        item.hold(inFlight.hold());
        item.isLacking = true;
        apart.add(item);
        lacking.computeIfAbsent(new ImmutableBytesWritable(change.row()), row -> new ArrayList<>(1))
                .add(change);
    }

    /**
     * The changes of a row that a synchronous index may lack, because a crash or a failure came between the row and the
     * index. Who acknowledges a later change of the row makes them good first.
     */
    public synchronized List<RowChange> lacking(byte[] row) {
        return lacking.isEmpty()
                ? List.of()
                : List.copyOf(lacking.getOrDefault(new ImmutableBytesWritable(row), List.of()));
    }

    private synchronized void forgetLacking(RowChange change) {
        lacking.computeIfPresent(new ImmutableBytesWritable(change.row()), (row, ofRow) -> {
            ofRow.removeIf(each -> each == change);
            return ofRow.isEmpty() ? null : ofRow;
        });
    }

    /** Puts items back in front that could not be delivered; they keep what they hold. */
    void putBack(List<Item> items) {
        if (!putBackUnlessCleared(items)) {
            items.forEach(Item::done);
        }
    }

    private synchronized boolean putBackUnlessCleared(List<Item> items) {
        return !cleared && undelivered.addAll(items);
    }

    /** Takes up to so many items: first what failed before, then what the WAL held, then the oldest changes. */
    synchronized List<Item> take(int most) {
        List<Item> taken = new ArrayList<>(Math.min(most, size()));
        take(undelivered.iterator(), most, taken);
        take(apart.iterator(), most, taken);
        take(changes.values().iterator(), most, taken);
        return taken;
    }

    /**
     * Takes up to so many items to keep them on disk instead; those that came from there stay.
     */
    synchronized List<Item> takeToSpill(int most) {
        List<Item> taken = new ArrayList<>();
        for (Collection<Item> items : List.of(undelivered, apart, changes.values())) {
            Iterator<Item> each = items.iterator();
            while (taken.size() < most && each.hasNext()) {
                Item item = each.next();
                if (!item.isFromDisk()) {
                    taken.add(item);
                    each.remove();
                }
            }
        }
        return taken;
    }

    private static void take(Iterator<Item> from, int most, List<Item> taken) {
        while (taken.size() < most && from.hasNext()) {
            taken.add(from.next());
            from.remove();
        }
    }

    /**
     * Forgets all that waits, and what comes back later: the region is closed, and its next holder finds it in the WAL or on
     * disk.
     */
    public void clear() {
        takeLast().forEach(Item::done);
    }

    private synchronized List<Item> takeLast() {
        cleared = true;
        return take(Integer.MAX_VALUE);
    }

    /** How many items wait; those that are just being delivered are not among them. */
    public synchronized int size() {
        return changes.size() + apart.size() + undelivered.size();
    }

    /** The memory that the waiting items hold, in bytes. */
    public synchronized long heapSize() {
        return all().mapToLong(Item::heapSize).sum();
    }

    /** How long the oldest item has waited, in milliseconds; 0 if none waits. */
    public synchronized long oldestAgeMs(long nowNanos) {
        return all().mapToLong(item -> TimeUnit.NANOSECONDS.toMillis(nowNanos - item.sinceNanos))
                .max()
                .orElse(0);
    }

    private Stream<Item> all() {
        return Stream.of(undelivered, apart, changes.values()).flatMap(Collection::stream);
    }
}
