package org.diffindex.server.queue;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The limit, in bytes, on the memory of pending index updates on one server. It bounds the AUQs of all regions
 * together: a write that would exceed it is refused before it is logged. Thread-safe.
 */
public final class QueueMemory {
    private static final long MOST_TO_WAIT_FOR = 1 << 20;

    private final long limit;
    private final AtomicLong used = new AtomicLong();

    public QueueMemory(long limit) {
        this.limit = limit;
    }

    /**
     * Reserves memory unless that would exceed the limit; returns whether it did. If no more is reserved than is
     * {@linkplain #worthParking worth parking}, any amount is granted, so that a single large write can pass, even while
     * an index is unavailable.
     */
    public boolean tryReserve(long bytes) {
        while (true) {
            long before = used.get();
            if (before > worthParking() && before + bytes > limit) {
                return false;
            }
            if (used.compareAndSet(before, before + bytes)) {
                return true;
            }
        }
    }

    /** Reserves memory regardless of the limit, for updates that are already durable and cannot be refused. */
    public void reserve(long bytes) {
        used.addAndGet(bytes);
    }

    public void release(long bytes) {
        used.addAndGet(-bytes);
    }

    /** Returns whether more than half of the limit would be reserved after that many more bytes. */
    public boolean isShort(long more) {
        return used.get() + more > limit / 2;
    }

    /**
     * Returns how many bytes must wait for indexes that are behind before they are parked because memory is short: an
     * eighth of the limit, for all regions of the server together. While other updates hold half of the memory, a
     * smaller amount would produce a file for every few writes.
     */
    public long worthParking() {
        return limit / 8;
    }

    /**
     * Returns how many bytes a region gathers during WAL replay before it spills them because memory is short: a
     * sixteenth of the limit, 1 MiB at most. A smaller amount would produce a file for every few writes while other
     * regions hold all memory.
     */
    public long worthAFile() {
        return Math.min(MOST_TO_WAIT_FOR, limit / 16);
    }

    public boolean isFull() {
        return used.get() >= limit;
    }

    public long used() {
        return used.get();
    }

    public long limit() {
        return limit;
    }
}
