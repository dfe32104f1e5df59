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
import org.diffindex.model.IndexSet;
import org.diffindex.server.maintain.PeakSize;
import org.diffindex.server.maintain.RowChange;

/**
 * Changes of base rows whose index updates are not delivered, oldest first: the AUQ of one region, or the part of it that one
 * index alone lacks.
 *
 * <p>Queued changes of one row are merged into one, from the row before the first to the row after the last; the states between
 * them are never sent. That is correct only because a row's changes are added in the order in which they happened, and no index
 * has seen any of them. A change found in the WAL or on disk is not merged, since an index may have seen a part of it. Updates
 * that were sent and failed are taken first.
 *
 * <p>Safe for use by many threads.
 */
public final class UpdateQueue {
    /** By row, the changes that no index has seen: later changes of the row are merged into them. Guarded by this. */
    private Map<ImmutableBytesWritable, QueuedChange> mergeable = new LinkedHashMap<>();

    /** Changes that must not be merged: replayed, loaded, or read past by a backfill or repair. Guarded by this. */
    private Deque<QueuedChange> unmerged = new ArrayDeque<>(0);

    /** Changes whose updates were sent and failed; the same updates are sent again. Guarded by this. */
    private Deque<QueuedChange> retries = new ArrayDeque<>(0);

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
    public synchronized void add(RowChange change, PendingBatch pending, long nowNanos) {
        int period = separations.period();
        QueuedChange item = mergeable.get(new ImmutableBytesWritable(change.row()));
        if (item != null && item.isOfPeriod(period)) {
            item.merge(change);
        } else {
            item = new QueuedChange(change, IndexSet.asynchronous(), null, nowNanos, false, lacking);
            item.setPeriod(period);
            addUnmerged(item);
        }
        item.add(pending.acquire());
    }

    /** What waits of the row is merged with nothing any more: the entry between would be in neither image. */
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

    /** Adds a change that any of the given indexes may lack, and may have seen a part of: one found in the WAL, or on disk. */
    public void addReplayed(RowChange change, IndexSet indexes, PendingBatch pending, long nowNanos) {
        addReplayed(change, indexes, true, pending, nowNanos);
    }

    /**
     * Adds a change as {@link #addReplayed(RowChange, IndexSet, PendingBatch, long)} does.
     *
     * @param synchronous whether a synchronous index is among them
     */
    synchronized void addReplayed(
            RowChange change, IndexSet indexes, boolean synchronous, PendingBatch pending, long nowNanos) {
        if (cleared) {
            return;
        }
        QueuedChange item = new QueuedChange(change, indexes, null, nowNanos, true, lacking);
        item.add(pending.acquire());
        if (synchronous) {
            item.lackedBySynchronous();
        }
        addUnmerged(item);
    }

    /**
     * Adds an item that was made for the one index of this queue; lets go of it if the queue is cleared. Items of one row must
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
        QueuedChange earlier =
                mergeable.get(new ImmutableBytesWritable(item.change().row()));
        if (item.updates() != null) {
            retries.add(item);
        } else if (earlier != null && earlier.isOfPeriod(item.period())) {
            earlier.merge(item);
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
    void putBack(List<QueuedChange> items) {
        if (!putBackUnlessCleared(items)) {
            items.forEach(QueuedChange::done);
        }
    }

    private synchronized boolean putBackUnlessCleared(List<QueuedChange> items) {
        return !cleared && retries.addAll(items);
    }

    /** Takes up to so many items: first what failed before, then what the WAL held, then the oldest changes. */
    synchronized List<QueuedChange> take(int most) {
        peak.reached(size());
        List<QueuedChange> taken = new ArrayList<>(Math.min(most, size()));
        take(retries.iterator(), most, taken);
        take(unmerged.iterator(), most, taken);
        take(mergeable.values().iterator(), most, taken);
        giveMemoryBack();
        return taken;
    }

    /** After a take: only a take makes it smaller. */
    private void giveMemoryBack() {
        if (peak.isOutgrown(size())) {
            mergeable = new LinkedHashMap<>();
            unmerged = new ArrayDeque<>(0);
            retries = new ArrayDeque<>(0);
        }
    }

    /** Takes up to so many items to keep them on disk instead; those that came from there stay. */
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
     * Takes what was loaded from files, one list for each file; only those that pass.
     *
     * @param which is given what a file's items hold, and how many of them wait here
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
     * Forgets all that waits, and what comes back later: the region is closed, and its next holder finds it in the WAL or on
     * disk.
     */
    public void clear() {
        takeLast().forEach(QueuedChange::done);
    }

    private synchronized List<QueuedChange> takeLast() {
        cleared = true;
        return take(Integer.MAX_VALUE);
    }

    /** How many items wait; those that are just being delivered are not among them. */
    public synchronized int size() {
        return mergeable.size() + unmerged.size() + retries.size();
    }

    /** The memory that the waiting items hold, in bytes. */
    public synchronized long heapSize() {
        return all().mapToLong(QueuedChange::heapSize).sum();
    }

    /** How long the oldest item has waited, in milliseconds; 0 if none waits. */
    public synchronized long oldestAgeMs(long nowNanos) {
        return all().mapToLong(item -> TimeUnit.NANOSECONDS.toMillis(nowNanos - item.sinceNanos()))
                .max()
                .orElse(0);
    }

    private Stream<QueuedChange> all() {
        return Stream.of(retries, unmerged, mergeable.values()).flatMap(Collection::stream);
    }
}
