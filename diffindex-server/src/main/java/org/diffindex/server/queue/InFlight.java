package org.diffindex.server.queue;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a batch of writes holds while its index updates are on their way: its stay at the {@link FlushBarrier} and its
 * share of the {@link QueueMemory}. It is shared by all who carry a part of the batch; the last one to let go gives both
 * back. Safe for use by many threads.
 */
public final class InFlight {
    private final FlushBarrier.Stay stay;
    private final QueueMemory memory;
    private final long bytes;
    private final AtomicInteger holders = new AtomicInteger(1);

    /** Held once, by the caller. The memory must have been reserved. */
    public InFlight(FlushBarrier.Stay stay, QueueMemory memory, long bytes) {
        this.stay = stay;
        this.memory = memory;
        this.bytes = bytes;
    }

    /** One more holder. Only for who holds it already, or is handed it by who does. */
    public InFlight hold() {
        holders.incrementAndGet();
        return this;
    }

    /** One holder fewer. */
    public void letGo() {
        int left = holders.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("Let go of more often than held");
        }
        if (left == 0) {
            memory.release(bytes);
            stay.leave();
        }
    }
}
