package org.diffindex.server.queue;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory, in bytes, that index updates on their way may hold on one server. It bounds the AUQs of all its regions
 * together: a write that would go past it is turned away before it is logged. Safe for use by many threads.
 */
public final class QueueMemory {
    private static final long MOST_TO_WAIT_FOR = 1 << 20;

    private final long limit;
    private final AtomicLong used = new AtomicLong();

    public QueueMemory(long limit) {
        this.limit = limit;
    }

    /** Takes memory if there is enough left. One write may go past the limit alone, however large it is. */
    public boolean tryReserve(long bytes) {
        while (true) {
            long before = used.get();
            if (before > 0 && before + bytes > limit) {
                return false;
            }
            if (used.compareAndSet(before, before + bytes)) {
                return true;
            }
        }
    }

    /** Takes memory even past the limit: for updates that are durable already and cannot be turned away. */
    public void reserve(long bytes) {
        used.addAndGet(bytes);
    }

    public void release(long bytes) {
        used.addAndGet(-bytes);
    }

    /** Whether no more than one half is left. */
    public boolean isShort() {
        return used.get() > limit / 2;
    }

    /**
     * How many bytes a region whose WAL is replayed gathers before it puts them on disk for want of memory: a sixteenth of
     * the limit, 1 MiB at most. With less there would be a file for each few writes, once other regions hold all.
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
