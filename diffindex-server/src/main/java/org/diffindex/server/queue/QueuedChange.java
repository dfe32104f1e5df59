package org.diffindex.server.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ClassSize;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexSet;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.maintain.RowChange;

/**
 * A row's change in an {@link UpdateQueue}, for some indexes, with references to the batches of writes that it comes
 * from. Guarded by the queue while it is queued; afterwards confined to the thread that took it.
 */
final class QueuedChange {
    /**
     * The memory, in bytes, that a queued change takes in addition to the change itself: this object with a reference
     * to one batch, the row as a key, and its places in the queue's map (a linked entry and two slots) and in its
     * batch's list.
     */
    static final int OVERHEAD_BYTES = ClassSize.align(ClassSize.OBJECT
                    + 5 * ClassSize.REFERENCE
                    + Bytes.SIZEOF_LONG
                    + Bytes.SIZEOF_INT
                    + 2 * Bytes.SIZEOF_BOOLEAN)
            + ClassSize.align(ClassSize.OBJECT + 2 * ClassSize.REFERENCE)
            + ClassSize.align(ClassSize.OBJECT + ClassSize.REFERENCE + 2 * Bytes.SIZEOF_INT)
            + ClassSize.align(ClassSize.OBJECT + 5 * ClassSize.REFERENCE + Bytes.SIZEOF_INT)
            + 3 * ClassSize.REFERENCE;

    private final IndexSet indexes;

    /** Null if the updates are not computed. */
    private final Computed computed;

    private final long sinceNanos;
    private final boolean isReplayed;

    /** The changes of the region that synchronous indexes may lack; contains this change if {@link #isLacking}. */
    private final LackingRows lacking;

    private RowChange change;

    /** Usually one element; a growable list would take twice the memory. */
    private List<PendingBatch> batches = List.of();

    /** The period of {@link Separations} in which the change was added. */
    private int period;

    private boolean isLacking;

    /**
     * Updates that were computed for a change, so that a retry sends the same. Their memory is reserved as long as the
     * change keeps them, regardless of the limit: the change is durable and cannot be refused.
     *
     * @param bytes the memory of the updates, in bytes
     */
    private record Computed(List<IndexUpdate> updates, long bytes) {
        private static final int OWN_BYTES =
                ClassSize.align(ClassSize.OBJECT + ClassSize.REFERENCE + Bytes.SIZEOF_LONG) + ClassSize.ARRAYLIST;

        /** Reserves memory for updates; {@link QueuedChange#done} releases it. */
        static Computed reserve(List<IndexUpdate> updates, QueueMemory memory) {
            long bytes = OWN_BYTES + ClassSize.align(ClassSize.ARRAY + (long) ClassSize.REFERENCE * updates.size());
            for (IndexUpdate update : updates) {
                bytes += update.heapSize();
            }
            memory.reserve(bytes);
            return new Computed(updates, bytes);
        }
    }

    /** Creates a change without a reference to a batch; the parameters are those of the fields. */
    private QueuedChange(
            RowChange change,
            IndexSet indexes,
            Computed computed,
            long sinceNanos,
            boolean isReplayed,
            int period,
            LackingRows lacking) {
        this.change = change;
        this.indexes = indexes;
        this.computed = computed;
        this.sinceNanos = sinceNanos;
        this.isReplayed = isReplayed;
        this.period = period;
        this.lacking = lacking;
    }

    /**
     * Returns a change that no index has seen, for the asynchronous indexes.
     *
     * @param period the period of {@link Separations} in which it arrives
     * @param acquired a reference to its batch, which the change takes over
     * @param nowNanos the time, on the clock of {@link System#nanoTime}
     */
    static QueuedChange arrived(
            RowChange change, int period, PendingBatch acquired, long nowNanos, LackingRows lacking) {
        QueuedChange arrived =
                new QueuedChange(change, IndexSet.asynchronous(), null, nowNanos, false, period, lacking);
        arrived.add(acquired);
        return arrived;
    }

    /**
     * Returns a change that was found in the WAL or on disk; it is never merged.
     *
     * @param indexes the indexes that may lack it, or have seen a part of it
     * @param acquired a reference to its batch, which the change takes over
     * @param nowNanos the time, on the clock of {@link System#nanoTime}
     */
    static QueuedChange replayed(
            RowChange change, IndexSet indexes, PendingBatch acquired, long nowNanos, LackingRows lacking) {
        QueuedChange replayed = new QueuedChange(change, indexes, null, nowNanos, true, Separations.NONE, lacking);
        replayed.add(acquired);
        return replayed;
    }

    RowChange change() {
        return change;
    }

    /** Returns the indexes that lack the change. */
    IndexSet indexes() {
        return indexes;
    }

    /** Returns the updates if they are computed; else null. */
    List<IndexUpdate> updates() {
        return computed == null ? null : computed.updates();
    }

    /** Returns the memory, in bytes, that is reserved for the computed updates; 0 if there are none. */
    long updateBytes() {
        return computed == null ? 0 : computed.bytes();
    }

    /** Returns when the change, or the first of those merged, was queued. */
    long sinceNanos() {
        return sinceNanos;
    }

    /**
     * Returns whether an index may have seen a part of the change, because it was found in the WAL or on disk, or
     * failed.
     */
    boolean isReplayed() {
        return isReplayed;
    }

    /** Returns the batch that the change comes from; the first if there are several. */
    PendingBatch batch() {
        return batches.get(0);
    }

    /** Returns all batches that the change comes from. */
    List<PendingBatch> batches() {
        return batches;
    }

    boolean isFromDisk() {
        return batch().isFromDisk();
    }

    /** Returns the file that holds the first batch of this change; null if there is none. */
    PendingBatch.Cover cover() {
        return batch().cover();
    }

    /** Returns the oldest registration at the flush barrier among those of the change's batches. */
    FlushBarrier.Registration oldestRegistration() {
        return batches.stream()
                .map(PendingBatch::registration)
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    int period() {
        return period;
    }

    /**
     * Returns whether a later change of the row, of the given period, can be merged into this one: no index has seen
     * this one, and nothing separates them.
     */
    boolean isOfPeriod(int other) {
        return other != Separations.NONE && period == other;
    }

    /** Prevents later changes of the row from being merged into this one, since an index may have seen it. */
    void keepApart() {
        period = Separations.NONE;
    }

    /** Merges a later change of the row into this one, and takes over its references to batches. */
    void merge(QueuedChange later) {
        change = change.mergedWith(later.change);
        later.batches.forEach(this::add);
    }

    /** Takes over a reference to a batch. */
    private void add(PendingBatch acquired) {
        if (batches.isEmpty()) {
            batches = List.of(acquired);
        } else {
            batches = batches.size() == 1 ? new ArrayList<>(batches) : batches;
            batches.add(acquired);
        }
    }

    /** Registers the change as one that a synchronous index may lack, until it is {@linkplain #done done}. */
    void lackedBySynchronous() {
        isLacking = true;
        lacking.add(change);
    }

    /**
     * Ends the change and releases its batches and the memory of its updates: its updates are durable, a file holds it,
     * lanes have taken it over, or the region is closed.
     */
    void done() {
        if (isLacking) {
            lacking.remove(change);
        }
        if (computed != null) {
            batch().memory().release(computed.bytes());
        }
        batches.forEach(PendingBatch::release);
    }

    /**
     * Returns the same change for one of its indexes alone, with its own references to the batches; while it is queued,
     * it delays only callers that wait for this index.
     *
     * @param alone the set of this index alone
     * @param sent its updates, so that a retry sends the same; null if none were sent to the index
     */
    QueuedChange forIndex(IndexDefinition index, IndexSet alone, List<IndexUpdate> sent) {
        Computed kept = sent == null ? null : Computed.reserve(sent, batch().memory());
        QueuedChange part = new QueuedChange(change, alone, kept, sinceNanos, isReplayed, period, lacking);
        batches.forEach(batch -> part.add(batch.acquirePart(index.name())));
        if (isReplayed && !index.isAsynchronous()) {
            part.lackedBySynchronous();
        }
        return part;
    }

    /**
     * Returns a copy with computed updates that takes over this change's references; this change must not be used
     * afterwards.
     */
    QueuedChange ready(List<IndexUpdate> updates) {
        Computed kept = Computed.reserve(updates, batch().memory());
        QueuedChange ready = new QueuedChange(change, indexes, kept, sinceNanos, isReplayed, Separations.NONE, lacking);
        ready.batches = batches;
        ready.isLacking = isLacking;
        return ready;
    }

    long heapSize() {
        return OVERHEAD_BYTES + change.heapSize() + updateBytes();
    }
}
