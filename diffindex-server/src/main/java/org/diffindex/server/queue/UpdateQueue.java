package org.diffindex.server.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
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
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexSet;
import org.diffindex.server.maintain.PeakSize;
import org.diffindex.server.maintain.RowChange;

/**
 * Changes of base rows whose index updates are not delivered: the AUQ of one region, or the part of it for one index
 * that is behind.
 *
 * <p>Queued changes of one row are merged into one, from the row before the first to the row after the last; the states
 * between them are never sent. That is correct only because the changes of a row are added in the order in which they
 * happened and no index has seen any of them. A change found in the WAL or on disk, or left by a failed write, is not
 * merged, since an index may have seen a part of it. Items that were put back are taken first, then changes that must
 * not be merged, then the others, oldest first.
 *
 * <p>Thread-safe.
 */
public final class UpdateQueue {
    /** The changes that no index has seen, by row; later changes of the row are merged into them. Guarded by this. */
    private Map<ImmutableBytesWritable, QueuedChange> mergeable = new LinkedHashMap<>();

    /**
     * Changes that must not be merged: replayed, loaded, left by a failed write, or between whose writes a backfill or
     * repair may have read the row. Guarded by this.
     */
    private Deque<QueuedChange> unmerged = new ArrayDeque<>(0);

    /**
     * Items that were put back, because their updates were sent and failed (a lane sends the same updates again), their
     * rows could not be read, or they could not be written to disk; never merged. Guarded by this.
     */
    private Deque<QueuedChange> retries = new ArrayDeque<>(0);

    private final PeakSize peak = new PeakSize();
    private final LackingRows lacking;
    private final Separations separations;

    /**
     * Whether the region is closed: replayed items, items moved from another queue and items put back are no longer
     * accepted. Guarded by this.
     */
    private boolean cleared;

    /** Creates the empty queue of a region. */
    public UpdateQueue() {
        this(new LackingRows(), new Separations());
    }

    private UpdateQueue(LackingRows lacking, Separations separations) {
        this.lacking = lacking;
        this.separations = separations;
    }

    /** Creates an empty queue for one index of the same region. */
    UpdateQueue another() {
        return new UpdateQueue(lacking, separations);
    }

    /** Until this has ended, and across its end, no changes are merged. Call {@link #end} exactly once. */
    public final class Separation {
        private Separation() {
            separations.begin();
        }

        public void end() {
            separations.end();
        }
    }

    /** Begins a separation, for callers that read rows and write entries bypassing the queues of the region. */
    public Separation keepApart() {
        return new Separation();
    }

    /** Adds a change. Changes of one row must be added in the order in which they happened. */
    public synchronized void add(RowChange change, PendingBatch pending, long nowNanos) {
        mergeOrAdd(QueuedChange.arrived(change, separations.period(), pending.acquire(), nowNanos, lacking));
    }

    /** Merges an item into the row's earlier one if nothing separates them; else adds it. */
    private void mergeOrAdd(QueuedChange item) {
        if (item.period() == Separations.NONE && !item.isReplayed()) {
            moveMergeable();
        }
        QueuedChange earlier =
                mergeable.get(new ImmutableBytesWritable(item.change().row()));
        if (earlier != null && earlier.isOfPeriod(item.period())) {
            earlier.merge(item);
        } else {
            addUnmerged(item);
        }
    }

    /**
     * Moves the mergeable items to those that must not be merged: these are taken first, and as long as a separation
     * lasts there may always be more of them. Changes that arrive later are not merged into the moved ones anyway.
     */
    private void moveMergeable() {
        unmerged.addAll(mergeable.values());
        mergeable.clear();
    }

    /**
     * Adds an item without merging it into the row's earlier one, and excludes that from further merging: neither image
     * would contain the entry in between. Later changes may be merged into the item unless its period is {@link
     * Separations#NONE}.
     */
    private void addUnmerged(QueuedChange item) {
        ImmutableBytesWritable row = new ImmutableBytesWritable(item.change().row());
        QueuedChange earlier = mergeable.remove(row);
        if (earlier != null) {
            unmerged.add(earlier);
        }
        if (item.period() == Separations.NONE) {
            unmerged.add(item);
        } else {
            mergeable.put(row, item);
        }
    }

    /**
     * Adds a change that any of the given indexes may have received in part: found in the WAL or on disk, or left by a
     * failed write. Ignored if the queue is cleared.
     */
    public void addReplayed(RowChange change, IndexSet indexes, PendingBatch pending, long nowNanos) {
        addReplayed(change, indexes, true, pending, nowNanos);
    }

    /**
     * Adds a change as {@link #addReplayed(RowChange, IndexSet, PendingBatch, long)} does.
     *
     * @param synchronous whether a synchronous index may be among them
     */
    synchronized void addReplayed(
            RowChange change, IndexSet indexes, boolean synchronous, PendingBatch pending, long nowNanos) {
        if (cleared) {
            return;
        }
        QueuedChange item = QueuedChange.replayed(change, indexes, pending.acquire(), nowNanos, lacking);
        if (synchronous) {
            item.lackedBySynchronous();
        }
        addUnmerged(item);
    }

    /**
     * Adds an item that was created for this queue's index; releases it if the queue is cleared. Items of one row must
     * be added in the order in which their changes happened.
     */
    void add(QueuedChange item) {
        if (!addUnlessCleared(item)) {
            item.done();
        }
    }

    private synchronized boolean addUnlessCleared(QueuedChange item) {
        if (cleared) {
            return false;
        }
        if (item.updates() != null) {
            retries.add(item);
        } else {
            mergeOrAdd(item);
        }
        return true;
    }

    /**
     * Returns the changes of a row, in any queue of the region, that a synchronous index may lack because a crash or a
     * failure came between the row and the index. A caller that acknowledges a later change of the row must deliver
     * them first.
     */
    public List<RowChange> lacking(byte[] row) {
        return lacking.of(row);
    }

    /**
     * Puts items that could not be delivered back in front, with their references; releases them if the queue is
     * cleared. No later changes are merged into them, in the queue of a lane neither.
     */
    void putBack(List<QueuedChange> items) {
        items.forEach(QueuedChange::keepApart);
        if (!putBackUnlessCleared(items)) {
            items.forEach(QueuedChange::done);
        }
    }

    private synchronized boolean putBackUnlessCleared(List<QueuedChange> items) {
        return !cleared && retries.addAll(items);
    }

    /**
     * Takes up to the given number of items: first those put back, then those that must not be merged, then the oldest
     * of the others.
     */
    synchronized List<QueuedChange> take(int most) {
        peak.reached(size());
        List<QueuedChange> taken = new ArrayList<>(Math.min(most, size()));
        take(retries.iterator(), most, taken);
        take(unmerged.iterator(), most, taken);
        take(mergeable.values().iterator(), most, taken);
        giveMemoryBack();
        return taken;
    }

    /** Shrinks the collections after a take; nothing else makes them smaller. */
    private void giveMemoryBack() {
        if (peak.isOutgrown(size())) {
            mergeable = new LinkedHashMap<>();
            unmerged = new ArrayDeque<>(0);
            retries = new ArrayDeque<>(0);
        }
    }

    /** Takes up to the given number of items to be written to disk, except those loaded from there. */
    synchronized List<QueuedChange> takeToSpill(int most) {
        peak.reached(size());
        List<QueuedChange> taken = new ArrayList<>();
        for (Collection<QueuedChange> items : List.of(retries, unmerged, mergeable.values())) {
            Iterator<QueuedChange> each = items.iterator();
            while (taken.size() < most && each.hasNext()) {
                QueuedChange item = each.next();
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
     * Takes the items that were loaded from files matching a predicate; returns one list for each file.
     *
     * @param which receives the batch that stands for a file, and the number of its items in this queue
     */
    synchronized List<List<QueuedChange>> takeFromDisk(BiPredicate<PendingBatch, Integer> which) {
        peak.reached(size());
        Map<PendingBatch, List<QueuedChange>> byFile = all().filter(QueuedChange::isFromDisk)
                .collect(Collectors.groupingBy(QueuedChange::batch, HashMap::new, Collectors.toList()));
        byFile.entrySet()
                .removeIf(file -> !which.test(file.getKey(), file.getValue().size()));
        for (Collection<QueuedChange> items : List.of(retries, unmerged, mergeable.values())) {
            items.removeIf(item -> byFile.containsKey(item.batch()));
        }
        giveMemoryBack();
        return List.copyOf(byFile.values());
    }

    private static void take(Iterator<QueuedChange> from, int most, List<QueuedChange> taken) {
        while (taken.size() < most && from.hasNext()) {
            taken.add(from.next());
            from.remove();
        }
    }

    /**
     * Releases all queued items, and from now on those that are put back, because the region is closed; its next holder
     * finds them in the WAL or on disk.
     */
    public void clear() {
        takeLast().forEach(QueuedChange::done);
    }

    private synchronized List<QueuedChange> takeLast() {
        cleared = true;
        return take(Integer.MAX_VALUE);
    }

    /** Returns the number of queued items, excluding those in flight. */
    public synchronized int size() {
        return mergeable.size() + unmerged.size() + retries.size();
    }

    synchronized boolean isAnyFromDisk() {
        return all().anyMatch(QueuedChange::isFromDisk);
    }

    /** Returns the memory that the queued items hold, in bytes. */
    public synchronized long heapSize() {
        return all().mapToLong(QueuedChange::heapSize).sum();
    }

    /**
     * Returns the memory, in bytes, that is reserved for the queued items, except those loaded from disk: at least as
     * much as {@link Spill#park} would release. A batch counts as a whole, however few of its changes are queued, since
     * it holds its memory until the last one has left.
     */
    synchronized long reservedBytes() {
        List<QueuedChange> items = all().filter(item -> !item.isFromDisk()).toList();
        Stream<PendingBatch> batches =
                items.stream().flatMap(item -> item.batches().stream()).distinct();
        return batches.mapToLong(PendingBatch::reservedBytes).sum()
                + items.stream().mapToLong(QueuedChange::updateBytes).sum();
    }

    /** Returns the age of the oldest queued item in milliseconds; 0 if the queue is empty. */
    public synchronized long oldestAgeMs(long nowNanos) {
        return all().mapToLong(item -> TimeUnit.NANOSECONDS.toMillis(nowNanos - item.sinceNanos()))
                .max()
                .orElse(0);
    }

    /** Returns the queued changes that one index lacks. */
    synchronized Backlog backlogOf(IndexDefinition index, long nowNanos) {
        Backlog sum = Backlog.NONE;
        for (Collection<QueuedChange> items : List.of(retries, unmerged, mergeable.values())) {
            for (QueuedChange item : items) {
                if (item.indexes().contains(index)) {
                    sum = sum.plus(item, nowNanos);
                }
            }
        }
        return sum;
    }

    private Stream<QueuedChange> all() {
        return Stream.of(retries, unmerged, mergeable.values()).flatMap(Collection::stream);
    }
}
