package org.diffindex.server.queue;

import io.opentelemetry.api.trace.SpanContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ClassSize;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.trace.Spans;

/**
 * A batch of writes from its admission until every index has it, or a parked file holds it for those that lack it: its
 * registration at the {@link FlushBarrier}, its share of the {@link QueueMemory}, its place among the
 * {@link AppliedBatches}, and its {@link Cover} on disk if it has one.
 *
 * <p>Reference-counted: everything that carries a change of the batch holds a reference, and the registration ends when
 * the last one is released. Updates for an index that is behind the others hold a {@linkplain #acquirePart part}
 * instead, with a registration of that index alone. The batch releases its memory, its place and its cover when the
 * last part has ended too. Thread-safe.
 */
public final class PendingBatch {
    /**
     * The memory, in bytes, of a batch without its changes: this object, the reference count, the registration, the
     * list of changes, and its place among the applied batches.
     */
    private static final int OWN_BYTES = ClassSize.align(ClassSize.OBJECT
                    + 9 * ClassSize.REFERENCE
                    + 2 * Bytes.SIZEOF_LONG
                    + Bytes.SIZEOF_INT
                    + Bytes.SIZEOF_BOOLEAN)
            + ClassSize.ATOMIC_INTEGER
            + ClassSize.align(ClassSize.OBJECT + 3 * ClassSize.REFERENCE)
            + ClassSize.align(ClassSize.ARRAYLIST + ClassSize.REFERENCE)
            + ClassSize.CONCURRENT_HASHMAP_ENTRY;

    private final FlushBarrier.Registration registration;
    private final QueueMemory memory;

    /** The batch of which this is the part for one index; null if this is the batch itself. */
    private final PendingBatch whole;

    /** The span of the request that writes, if it is traced, else null. Not counted as memory: few requests are traced. */
    private final SpanContext trace;

    private final AtomicInteger references = new AtomicInteger(1);

    /** Guarded by this. */
    private long bytes;

    /**
     * Number of parts that have not ended: one for all references, one for each index in the map, one for each flush
     * that keeps the batch. Guarded by this.
     */
    private int parts = 1;

    /** The parts for single indexes, by index name. Guarded by this. */
    private Map<String, PendingBatch> partsByIndex = Map.of();

    /** Set once, by the thread that applies the batch, before the batch is shared. */
    private volatile List<RowChange> changes = List.of();

    private volatile AppliedBatches registeredIn;

    private volatile boolean synchronousDone;

    /** Set while a reference is held, under the lock of the spill. */
    private volatile Cover cover;

    /** A file that holds the changes of one or more batches until all of these are delivered. */
    public interface Cover {
        /** Releases the reference of one batch. */
        void release();
    }

    /**
     * Returns the memory, in bytes, that a batch holds until it is delivered to every index or parked.
     *
     * @param changes the memory of each change, in bytes; one element for each row
     */
    public static long bytesOf(LongStream changes) {
        return OWN_BYTES
                + changes.map(bytes -> bytes + QueuedChange.OVERHEAD_BYTES).sum();
    }

    /** Creates a batch with one reference, the caller's. The memory must have been reserved. */
    public PendingBatch(FlushBarrier.Registration registration, QueueMemory memory, long bytes) {
        this(registration, memory, bytes, null, Spans.currentIfTraced());
    }

    private PendingBatch(
            FlushBarrier.Registration registration,
            QueueMemory memory,
            long bytes,
            PendingBatch whole,
            SpanContext trace) {
        this.registration = registration;
        this.memory = memory;
        this.bytes = bytes;
        this.whole = whole;
        this.trace = trace;
    }

    /**
     * Returns the part of the batch for one index, with one more reference, the caller's, and reserves the memory of
     * one more queued change. The caller must hold a reference to the batch.
     */
    synchronized PendingBatch acquirePart(String index) {
        PendingBatch part = partsByIndex.get(index);
        if (part == null || !part.tryAcquire()) {
            memory.reserve(OWN_BYTES);
            part = new PendingBatch(registration.another(index), memory, OWN_BYTES, this, trace);
            partsByIndex = partsByIndex.isEmpty() ? new HashMap<>(2) : partsByIndex;
            partsByIndex.put(index, part);
            parts++;
        }
        part.reserve(QueuedChange.OVERHEAD_BYTES);
        return part;
    }

    /** Returns the span of the request that has written the batch; null if it is not traced. */
    SpanContext trace() {
        return trace;
    }

    private synchronized void reserve(long more) {
        memory.reserve(more);
        bytes += more;
    }

    /**
     * Records that the batch is in the memstore: from now until its end, a flush must wait for its changes or cover
     * them, and must keep the past of their rows.
     *
     * @param applied the changes, all {@linkplain RowChange#indexes for the same indexes}: a file that covers them names
     *     its indexes once
     */
    public void applied(List<RowChange> applied, AppliedBatches appliedBatches) {
        applied.forEach(change -> registration.needsPastFrom(change.before()));
        changes = applied;
        registeredIn = appliedBatches;
        appliedBatches.add(this);
    }

    /** Returns the changes of the batch; empty before it is applied. */
    public List<RowChange> changes() {
        return changes;
    }

    /** Returns the log sequence number of the first change; 0 if there is none. */
    long firstSequence() {
        return changes.isEmpty() ? 0 : changes.get(0).firstSequence();
    }

    /** Records the file that holds the changes from now on. At most once; the caller must hold a reference. */
    public void coverWith(Cover durable) {
        cover = durable;
    }

    /** Returns the memory of which the batch has reserved a share. */
    QueueMemory memory() {
        return memory;
    }

    /** Returns the memory, in bytes, that ends with the batch; for a part, including that of the whole batch. */
    long reservedBytes() {
        long own;
        synchronized (this) {
            own = bytes;
        }
        return whole == null ? own : own + whole.reservedBytes();
    }

    /** Returns whether a file holds the changes. */
    public boolean isCovered() {
        return cover != null;
    }

    /** Returns whether this stands for the content of a file that was loaded, rather than for a batch of writes. */
    boolean isFromDisk() {
        return cover != null && registeredIn == null;
    }

    /** Returns the file that holds the changes; null if none does. */
    Cover cover() {
        return cover;
    }

    /** Records that the changes are durable in the synchronous indexes. */
    public void synchronousDone() {
        synchronousDone = true;
    }

    /** Returns whether an index may lack the changes. */
    synchronized boolean mayBeLackedBy(IndexDefinition index) {
        boolean byAll = references.get() > 0
                && (index.isAsynchronous() || !synchronousDone)
                && changes.stream().allMatch(change -> change.isFor(index));
        return byAll || partsByIndex.containsKey(index.name());
    }

    FlushBarrier.Registration registration() {
        return registration;
    }

    /** Acquires one more reference. The caller must hold one already. */
    public PendingBatch acquire() {
        references.incrementAndGet();
        return this;
    }

    /** Acquires one more reference unless the last one has been released. */
    private boolean tryAcquire() {
        while (true) {
            int before = references.get();
            if (before == 0) {
                return false;
            }
            if (references.compareAndSet(before, before + 1)) {
                return true;
            }
        }
    }

    /**
     * Releases a reference; the last release ends the registration.
     *
     * @throws IllegalStateException if all references were released before
     */
    public void release() {
        int left = references.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException(
                    "internal error in Diff-Index, please report it: a batch was released more often than acquired");
        }
        if (left == 0) {
            releaseOverhead();
            end();
            registration.leave();
        }
    }

    /**
     * Releases the memory overhead of the queued changes of the whole batch; a part for one index keeps its own until
     * it ends.
     */
    private synchronized void releaseOverhead() {
        if (whole == null) {
            long around = (long) changes.size() * QueuedChange.OVERHEAD_BYTES;
            memory.release(around);
            bytes -= around;
        }
    }

    /** Keeps the batch from ending, unless it has ended. Returns whether the batch is kept; {@link #end} it then. */
    synchronized boolean tryKeep() {
        if (parts == 0) {
            return false;
        }
        parts++;
        return true;
    }

    /** Ends a part; the last one releases the batch's memory, place and cover. */
    void end() {
        if (isLastPart()) {
            if (registeredIn != null) {
                registeredIn.remove(this);
            }
            if (cover != null) {
                cover.release();
            }
            memory.release(bytes);
            if (whole != null) {
                whole.ended(this);
            }
        }
    }

    private synchronized boolean isLastPart() {
        parts--;
        return parts == 0;
    }

    private void ended(PendingBatch part) {
        synchronized (this) {
            partsByIndex.values().removeIf(each -> each == part);
        }
        end();
    }
}
