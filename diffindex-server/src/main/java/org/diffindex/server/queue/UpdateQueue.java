package org.diffindex.server.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.RowChange;

/**
 * The AUQ of one region: the changes of base rows whose index updates are still to be made, oldest first.
 *
 * <p>Changes of one row that wait together become one, from the row before the first to the row after the last; what lay
 * between never travels. That is right only because a row's changes are added in the order in which they happened. A
 * change found in the WAL is kept apart, since the index may have seen any of them. Updates that were made but could not
 * be sent come first again.
 *
 * <p>Safe for use by many threads.
 */
public final class UpdateQueue {
    /** Something that waits. Either the change of a row, or updates that are ready. */
    static final class Item {
        private final long sinceNanos;
        private final List<InFlight> held = new ArrayList<>(1);
        private final boolean replayed;
        private final List<IndexUpdate> updates;
        private RowChange change;

        private Item(RowChange change, List<IndexUpdate> updates, boolean replayed, long sinceNanos) {
            this.change = change;
            this.updates = updates;
            this.replayed = replayed;
            this.sinceNanos = sinceNanos;
        }

        /** The change; null if the updates are ready. */
        RowChange change() {
            return change;
        }

        List<IndexUpdate> updates() {
            return updates;
        }

        /** Whether the change was found in the WAL, so that every index may lack it, whatever its scheme. */
        boolean isReplayed() {
            return replayed;
        }

        long sinceNanos() {
            return sinceNanos;
        }

        long heapSize() {
            long size = change == null ? 0 : change.heapSize();
            for (IndexUpdate update : updates) {
                size += update.heapSize();
            }
            return size;
        }

        /** The updates are durable. */
        void delivered() {
            held.forEach(InFlight::letGo);
        }

        /** The same item with its updates worked out, so that trying again sends the same. */
        Item ready(List<IndexUpdate> worked) {
            Item item = new Item(null, worked, replayed, sinceNanos);
            item.held.addAll(held);
            return item;
        }
    }

    private final Map<ImmutableBytesWritable, Item> changes = new LinkedHashMap<>();
    private final Deque<Item> replayedChanges = new ArrayDeque<>();
    private final Deque<Item> undelivered = new ArrayDeque<>();

    /** Adds a change. Changes of one row must be added in the order in which they happened. */
    public synchronized void add(RowChange change, InFlight inFlight, long nowNanos) {
        Item item = changes.get(new ImmutableBytesWritable(change.row()));
        if (item == null) {
            item = new Item(change, List.of(), false, nowNanos);
            changes.put(new ImmutableBytesWritable(change.row()), item);
        } else {
            item.change = item.change.mergedWith(change);
        }
        item.held.add(inFlight.hold());
    }

    /** Adds a change that was found in the WAL. */
    public synchronized void addReplayed(RowChange change, InFlight inFlight, long nowNanos) {
        Item item = new Item(change, List.of(), true, nowNanos);
        item.held.add(inFlight.hold());
        replayedChanges.add(item);
    }

    /** Puts items back in front that could not be delivered; they keep what they hold. */
    synchronized void putBack(List<Item> items) {
        undelivered.addAll(items);
    }

    /** Takes up to so many items: first what failed before, then what the WAL held, then the oldest changes. */
    synchronized List<Item> take(int most) {
        List<Item> taken = new ArrayList<>(Math.min(most, size()));
        take(undelivered.iterator(), most, taken);
        take(replayedChanges.iterator(), most, taken);
        take(changes.values().iterator(), most, taken);
        return taken;
    }

    private static void take(Iterator<Item> from, int most, List<Item> taken) {
        while (taken.size() < most && from.hasNext()) {
            taken.add(from.next());
            from.remove();
        }
    }

    /** How many items wait; those that are just being delivered are not among them. */
    public synchronized int size() {
        return changes.size() + replayedChanges.size() + undelivered.size();
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
        return Stream.of(undelivered, replayedChanges, changes.values()).flatMap(Collection::stream);
    }
}
