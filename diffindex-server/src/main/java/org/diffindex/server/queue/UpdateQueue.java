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
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ClassSize;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexSet;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.PeakSize;
import org.diffindex.server.maintain.RowChange;

/**
 * Changes of base rows whose index updates are still to be made, oldest first: the AUQ of one region, or the part of it that
 * one index alone lacks.
 *
 * <p>Changes of one row that wait together become one, from the row before the first to the row after the last; what lay
 * between never travels. That is right only because a row's changes are added in the order in which they happened, and no
 * index has seen any of them. A change found in the WAL or on disk is kept apart, since the index may have seen any of them.
 * Updates that were made but could not be sent come first again.
 *
 * <p>Safe for use by many threads.
 */
public final class UpdateQueue {
    /**
     * The memory, in bytes, that a change takes here beside its own: its item with the one batch that it holds, its row as a
     * key, its place in the map (a linked entry, and two slots), and that in its batch's list.
     */
    static final int BYTES_AROUND_A_CHANGE = ClassSize.align(ClassSize.OBJECT
                    + 5 * ClassSize.REFERENCE
                    + Bytes.SIZEOF_LONG
                    + Bytes.SIZEOF_INT
                    + 2 * Bytes.SIZEOF_BOOLEAN)
            + ClassSize.align(ClassSize.OBJECT + 2 * ClassSize.REFERENCE)
            + ClassSize.align(ClassSize.OBJECT + ClassSize.REFERENCE + 2 * Bytes.SIZEOF_INT)
            + ClassSize.align(ClassSize.OBJECT + 5 * ClassSize.REFERENCE + Bytes.SIZEOF_INT)
            + 3 * ClassSize.REFERENCE;

    /** The change of a row that waits, for some indexes. */
    final class Item {
        private final long sinceNanos;

        /** Mostly one: a list that can grow would take twice the memory. */
        private List<InFlight> held = List.of();

        private final IndexSet indexes;
        private final List<IndexUpdate> updates;
        private RowChange change;

        /** When it came, as {@link Separations} counts; it may be merged with another of that period. */
        private int period = Separations.NONE;

        /** Whether any index may have seen a part of it already. */
        private final boolean isReplayed;

        /** Whether it is one of the {@link LackingRows}. */
        private boolean isLacking;

        private Item(
                RowChange change, IndexSet indexes, List<IndexUpdate> updates, long sinceNanos, boolean isReplayed) {
            this.change = change;
            this.indexes = indexes;
            this.updates = updates;
            this.sinceNanos = sinceNanos;
            this.isReplayed = isReplayed;
        }

        RowChange change() {
            return change;
        }

        /** The indexes that lack it. */
        IndexSet indexes() {
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
                lacking.remove(change);
            }
            held.forEach(InFlight::letGo);
        }

        private void isLackedBySynchronous() {
            isLacking = true;
            lacking.add(change);
        }

        /** Whether the index may have seen a part of it, as it may of what was found in the WAL or on disk. */
        boolean isReplayed() {
            return isReplayed;
        }

        boolean isFromDisk() {
            return held.get(0).isFromDisk();
        }

        /** Returns the file that holds it, if it was loaded from one. */
        InFlight.Cover cover() {
            return held.get(0).cover();
        }

        /** The oldest stay of the batches that it is of. */
        FlushBarrier.Stay oldestStay() {
            return held.stream()
                    .map(InFlight::stay)
                    .min(Comparator.naturalOrder())
                    .orElseThrow();
        }

        /**
         * The same for one of its indexes alone: while it lasts, nobody waits for it but who waits for that index.
         *
         * @param alone the index, and no other
         * @param worked its updates, so that trying again sends the same; null if the index was sent none
         */
        Item of(IndexDefinition index, IndexSet alone, List<IndexUpdate> worked) {
            Item item = new Item(change, alone, worked, sinceNanos, isReplayed);
            held.forEach(batch -> item.hold(batch.apart(index.name())));
            item.period = period;
            if (isReplayed && !index.isAsynchronous()) {
                item.isLackedBySynchronous();
            }
            return item;
        }

        /** The same with its updates worked out. */
        Item ready(List<IndexUpdate> worked) {
            Item item = new Item(change, indexes, worked, sinceNanos, isReplayed);
            item.held = held;
            item.isLacking = isLacking;
            return item;
        }
    }

    /** All that waits; replaced when empty, see {@link PeakSize}. */
    private Map<ImmutableBytesWritable, Item> changes = new LinkedHashMap<>();

    private Deque<Item> apart = new ArrayDeque<>(0);
    private Deque<Item> undelivered = new ArrayDeque<>(0);
    private final PeakSize peak = new PeakSize();
    private final LackingRows lacking;
    private final Separations separations;

    /** The region is closed; nothing is taken in any more. */
    private boolean cleared;

    /** The queue of a region, with nothing in it. */
    public UpdateQueue() {
        this(new LackingRows(), new Separations());
    }

    private UpdateQueue(LackingRows lacking, Separations separations) {
        this.lacking = lacking;
        this.separations = separations;
    }

    /** A queue for one index of the same region. */
    UpdateQueue another() {
        return new UpdateQueue(lacking, separations);
    }

    /** While this lasts, and across its end, no changes are merged. End it exactly once. */
    public final class Separation {
        private Separation() {
            separations.begin();
        }

        public void end() {
            separations.end();
        }
    }

    /** For callers that read rows and write their entries past the queues of the region. */
    public Separation keepApart() {
        return new Separation();
    }

    /** Adds a change. Changes of one row must be added in the order in which they happened. */
    public synchronized void add(RowChange change, InFlight inFlight, long nowNanos) {
        int period = separations.period();
        Item item = changes.get(new ImmutableBytesWritable(change.row()));
        if (item != null && period != Separations.NONE && item.period == period) {
            item.change = item.change.mergedWith(change);
        } else {
            item = new Item(change, IndexSet.asynchronous(), null, nowNanos, false);
            item.period = period;
            addUnmerged(item);
        }
        item.hold(inFlight.hold());
    }

    /** What waits of the row is merged with nothing any more: the entry between would be in neither image. */
    private void addUnmerged(Item item) {
        ImmutableBytesWritable row = new ImmutableBytesWritable(item.change.row());
        Item earlier = changes.remove(row);
        if (earlier != null) {
            apart.add(earlier);
        }
        if (item.period == Separations.NONE) {
            apart.add(item);
        } else {
            changes.put(row, item);
        }
    }

    /** Adds a change that any of the given indexes may lack, and may have seen a part of: one found in the WAL, or on disk. */
    public void addReplayed(RowChange change, IndexSet indexes, InFlight inFlight, long nowNanos) {
        addReplayed(change, indexes, true, inFlight, nowNanos);
    }

    /**
     * Adds a change as {@link #addReplayed(RowChange, IndexSet, InFlight, long)} does.
     *
     * @param synchronous whether a synchronous index is among them
     */
    synchronized void addReplayed(
            RowChange change, IndexSet indexes, boolean synchronous, InFlight inFlight, long nowNanos) {
        if (cleared) {
            return;
        }
        Item item = new Item(change, indexes, null, nowNanos, true);
        item.hold(inFlight.hold());
        if (synchronous) {
            item.isLackedBySynchronous();
        }
        addUnmerged(item);
    }

    /**
     * Adds an item that was made for the one index of this queue; lets go of it if the queue is cleared. Items of one row must
     * be added in the order in which their changes happened.
     */
    void add(Item item) {
        if (!addUnlessCleared(item)) {
            item.done();
        }
    }

    private synchronized boolean addUnlessCleared(Item item) {
        if (cleared) {
            return false;
        }
        Item earlier = changes.get(new ImmutableBytesWritable(item.change.row()));
        if (item.updates != null) {
            undelivered.add(item);
        } else if (earlier != null && item.period != Separations.NONE && item.period == earlier.period) {
            earlier.change = earlier.change.mergedWith(item.change);
            item.held.forEach(earlier::hold);
        } else {
            addUnmerged(item);
        }
        return true;
    }

    /**
     * The changes of a row that a synchronous index may lack, because a crash or a failure came between the row and the
     * index; those of all queues of the region. A caller that acknowledges a later change of the row makes them good first.
     */
    public List<RowChange> lacking(byte[] row) {
        return lacking.of(row);
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
        peak.reached(size());
        List<Item> taken = new ArrayList<>(Math.min(most, size()));
        take(undelivered.iterator(), most, taken);
        take(apart.iterator(), most, taken);
        take(changes.values().iterator(), most, taken);
        giveMemoryBack();
        return taken;
    }

    /** After a take: only a take makes it smaller. */
    private void giveMemoryBack() {
        if (peak.isOutgrown(size())) {
            changes = new LinkedHashMap<>();
            apart = new ArrayDeque<>(0);
            undelivered = new ArrayDeque<>(0);
        }
    }

    /** Takes up to so many items to keep them on disk instead; those that came from there stay. */
    synchronized List<Item> takeToSpill(int most) {
        peak.reached(size());
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
        giveMemoryBack();
        return taken;
    }

    /**
     * Takes what was loaded from files, one list for each file; only those that pass.
     *
     * @param which is given what a file's items hold, and how many of them wait here
     */
    synchronized List<List<Item>> takeFromDisk(BiPredicate<InFlight, Integer> which) {
        peak.reached(size());
        Map<InFlight, List<Item>> byFile = all().filter(Item::isFromDisk)
                .collect(Collectors.groupingBy(item -> item.held.get(0), HashMap::new, Collectors.toList()));
        byFile.entrySet()
                .removeIf(file -> !which.test(file.getKey(), file.getValue().size()));
        for (Collection<Item> items : List.of(undelivered, apart, changes.values())) {
            items.removeIf(item -> byFile.containsKey(item.held.get(0)));
        }
        giveMemoryBack();
        return List.copyOf(byFile.values());
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
