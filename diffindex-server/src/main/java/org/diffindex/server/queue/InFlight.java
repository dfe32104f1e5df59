package org.diffindex.server.queue;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ClassSize;
import org.diffindex.server.maintain.RowChange;

/**
 * What a batch of writes holds while its index updates are on their way: its stay at the {@link FlushBarrier}, its share
 * of the {@link QueueMemory}, its place among the {@link Undelivered}, and the {@link Cover} on disk if it has one. It is
 * shared by all who carry a part of the batch; the last one to let go gives all of it back. Safe for use by many threads.
 */
public final class InFlight {
    /**
     * The memory, in bytes, that one takes of its own: this object, the count of holders, the stay, the list of changes, its
     * place among the undelivered.
     */
    private static final int OWN_BYTES =
            ClassSize.align(ClassSize.OBJECT + 6 * ClassSize.REFERENCE + Bytes.SIZEOF_LONG + Bytes.SIZEOF_BOOLEAN)
                    + ClassSize.ATOMIC_INTEGER
                    + ClassSize.align(ClassSize.OBJECT + 2 * ClassSize.REFERENCE)
                    + ClassSize.align(ClassSize.ARRAYLIST + ClassSize.REFERENCE)
                    + ClassSize.CONCURRENT_HASHMAP_ENTRY;

    private final FlushBarrier.Stay stay;
    private final QueueMemory memory;
    private final long bytes;
    private final AtomicInteger holders = new AtomicInteger(1);

    /** Set once by the one thread that applies the batch, before it is shared. */
    private volatile List<RowChange> changes = List.of();

    private volatile Undelivered registeredIn;

    private volatile boolean synchronousDone;

    /** Set by a holder, under the lock of the spill. */
    private volatile Cover cover;

    /** What keeps the changes of batches on disk until all of these are delivered. */
    public interface Cover {
        /** One batch fewer needs it. */
        void letGo();
    }

    /**
     * The memory, in bytes, that a batch takes until every index has it.
     *
     * @param changes the memory that its changes take, of each row
     */
    public static long bytesOf(LongStream changes) {
        return OWN_BYTES
                + changes.map(bytes -> bytes + UpdateQueue.BYTES_AROUND_A_CHANGE)
                        .sum();
    }

    /** Held once, by the caller. The memory must have been reserved. */
    public InFlight(FlushBarrier.Stay stay, QueueMemory memory, long bytes) {
        this.stay = stay;
        this.memory = memory;
        this.bytes = bytes;
    }

    /**
     * The batch is in the memstore: until the last holder lets go, a flush has to take care of its changes, and of the past
     * of their rows.
     */
    public void applied(List<RowChange> applied, Undelivered undelivered) {
        applied.forEach(change -> stay.needsPastFrom(change.before()));
        changes = applied;
        registeredIn = undelivered;
        undelivered.add(this);
    }

    /** What the batch did to its rows; empty before it is applied. */
    public List<RowChange> changes() {
        return changes;
    }

    /** The sequence number of the first change; 0 if there is none. */
    long firstSequence() {
        return changes.isEmpty() ? 0 : changes.get(0).firstSequence();
    }

    /** The changes are on disk from now on. Only for a holder; at most once. */
    public void coverWith(Cover durable) {
        cover = durable;
    }

    /** Whether the changes are on disk. */
    public boolean isCovered() {
        return cover != null;
    }

    /** Whether this is what a file holds, not a batch of writes. */
    boolean isFromDisk() {
        return cover != null && registeredIn == null;
    }

    /** The synchronous indexes have the changes: only the others may lack them. */
    public void synchronousDone() {
        synchronousDone = true;
    }

    boolean isLackedByAsynchronousAlone() {
        return synchronousDone;
    }

    FlushBarrier.Stay stay() {
        return stay;
    }

    /** One more holder. Only for who holds it already, or is handed it by who does. */
    public InFlight hold() {
        holders.incrementAndGet();
        return this;
    }

    /** One more holder, unless the last one has let go. */
    boolean tryHold() {
        while (true) {
            int before = holders.get();
            if (before == 0) {
                return false;
            }
            if (holders.compareAndSet(before, before + 1)) {
                return true;
            }
        }
    }

    /** One holder fewer. */
    public void letGo() {
        int left = holders.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("Let go of more often than held");
        }
        if (left == 0) {
            if (registeredIn != null) {
                registeredIn.remove(this);
            }
            if (cover != null) {
                cover.letGo();
            }
            memory.release(bytes);
            stay.leave();
        }
    }
}
