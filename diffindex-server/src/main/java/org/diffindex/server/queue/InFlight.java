package org.diffindex.server.queue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ClassSize;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.maintain.RowChange;

/**
 * What a batch of writes holds while its index updates are on their way: its stay at the {@link FlushBarrier}, its share
 * of the {@link QueueMemory}, its place among the {@link Undelivered}, and the {@link Cover} on disk if it has one. It is
 * shared by all that carry a part of the batch; when the last one lets go, the stay ends.
 *
 * <p>What one index lacks that is behind the others is carried {@linkplain #apart apart}, with a stay of that index alone. The
 * memory, the place and the cover are given back when nobody carries anything of the batch any more. Safe for use by many
 * threads.
 */
public final class InFlight {
    /**
     * The memory, in bytes, that one takes of its own: this object, the count of holders, the stay, the list of changes, its
     * place among the undelivered.
     */
    private static final int OWN_BYTES = ClassSize.align(ClassSize.OBJECT
                    + 8 * ClassSize.REFERENCE
                    + 2 * Bytes.SIZEOF_LONG
                    + Bytes.SIZEOF_INT
                    + Bytes.SIZEOF_BOOLEAN)
            + ClassSize.ATOMIC_INTEGER
            + ClassSize.align(ClassSize.OBJECT + 3 * ClassSize.REFERENCE)
            + ClassSize.align(ClassSize.ARRAYLIST + ClassSize.REFERENCE)
            + ClassSize.CONCURRENT_HASHMAP_ENTRY;

    private final FlushBarrier.Stay stay;
    private final QueueMemory memory;

    /** What this is a part of, for one index; null if it is the batch. */
    private final InFlight whole;

    private final AtomicInteger holders = new AtomicInteger(1);

    /** Guarded by this. */
    private long bytes;

    /** How many parts there are: one while there are holders, those apart, those that a flush looks at. Guarded by this. */
    private int parts = 1;

    /** By the name of the index. Guarded by this. */
    private Map<String, InFlight> apart = Map.of();

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
        this(stay, memory, bytes, null);
    }

    private InFlight(FlushBarrier.Stay stay, QueueMemory memory, long bytes, InFlight whole) {
        this.stay = stay;
        this.memory = memory;
        this.bytes = bytes;
        this.whole = whole;
    }

    /**
     * What holds the batch for one index alone, held once more for the caller. Only for a holder of the batch. Takes the memory
     * for one more change that waits.
     */
    synchronized InFlight apart(String index) {
        InFlight part = apart.get(index);
        if (part == null || !part.tryHold()) {
            memory.reserve(OWN_BYTES);
            part = new InFlight(stay.another(index), memory, OWN_BYTES, this);
            apart = apart.isEmpty() ? new HashMap<>(2) : apart;
            apart.put(index, part);
            parts++;
        }
        part.reserve(UpdateQueue.BYTES_AROUND_A_CHANGE);
        return part;
    }

    private synchronized void reserve(long more) {
        memory.reserve(more);
        bytes += more;
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

    /** What keeps the changes on disk; null if nothing does. */
    Cover cover() {
        return cover;
    }

    /** The synchronous indexes have the changes: only the others may lack them. */
    public void synchronousDone() {
        synchronousDone = true;
    }

    /** Whether an index may lack the changes. */
    synchronized boolean mayBeLackedBy(IndexDefinition index) {
        boolean byAll = holders.get() > 0 && (index.isAsynchronous() || !synchronousDone);
        return byAll || apart.containsKey(index.name());
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
    private boolean tryHold() {
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
            releaseWhatIsAroundChanges();
            end();
            stay.leave();
        }
    }

    /** The items for all indexes are gone; those of parts that go on apart have memory of their own. */
    private synchronized void releaseWhatIsAroundChanges() {
        if (whole == null) {
            long around = (long) changes.size() * UpdateQueue.BYTES_AROUND_A_CHANGE;
            memory.release(around);
            bytes -= around;
        }
    }

    /** Keeps it as it is for a flush that looks at it, unless nobody carries anything of it; {@link #end} that. */
    synchronized boolean tryKeep() {
        if (parts == 0) {
            return false;
        }
        parts++;
        return true;
    }

    /** One part fewer; the last one gives back what the batch holds. */
    void end() {
        if (isLastPart()) {
            if (registeredIn != null) {
                registeredIn.remove(this);
            }
            if (cover != null) {
                cover.letGo();
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

    private void ended(InFlight part) {
        synchronized (this) {
            apart.values().removeIf(each -> each == part);
        }
        end();
    }
}
