package org.diffindex.server;

import java.util.Comparator;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.diffindex.server.queue.QueueMemory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves to disk, when the memory for index updates runs short, what waits for indexes that are behind, so that writers
 * of other indexes do not wait for these.
 *
 * <p>It moves nothing as long as little waits. The memory may stay short because of updates that cannot be moved, such
 * as those for indexes that keep up; otherwise every few writes would cause a file, which costs several calls to the
 * NameNode and has to be read again. For the same reason it leaves queues that hold much less than the others.
 *
 * <p>Thread-safe. One pass over the regions of the server runs at a time, on the disk thread.
 */
final class MemoryRelief {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryRelief.class);

    /** The time between two passes if the first did not suffice, since each looks at all queued updates. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final QueueMemory memory;
    private final Executor disk;
    private final LongSupplier nanoTime;

    private final Set<OnlineRegion> open = ConcurrentHashMap.newKeySet();

    /** Whether a pass is scheduled or runs. */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** The time before which no further pass is scheduled. Written by the disk thread. */
    private volatile long pausesUntil;

    /**
     * Creates a relief without regions.
     *
     * @param disk runs the passes, on one thread
     * @param nanoTime elapsed time in nanoseconds, as {@link System#nanoTime}
     */
    MemoryRelief(QueueMemory memory, Executor disk, LongSupplier nanoTime) {
        this.memory = memory;
        this.disk = disk;
        this.nanoTime = nanoTime;
        this.pausesUntil = nanoTime.getAsLong();
    }

    void opened(OnlineRegion region) {
        open.add(region);
    }

    void closed(OnlineRegion region) {
        open.remove(region);
    }

    /**
     * Schedules a pass if the memory is short, none is scheduled and the last one did not just prove insufficient.
     * Returns without waiting for it.
     *
     * @param bytes the memory, in bytes, that a write is about to reserve
     */
    void relieveIfShort(long bytes) {
        if (memory.isShort(bytes) && nanoTime.getAsLong() - pausesUntil >= 0 && scheduled.compareAndSet(false, true)) {
            try {
                disk.execute(() -> pass(bytes));
            } catch (RejectedExecutionException e) {
                LOG.debug("The server stops; nothing is put on disk any more", e);
            }
        }
    }

    private void pass(long bytes) {
        try {
            List<OnlineRegion> regions = open.stream()
                    .sorted(Comparator.comparing(OnlineRegion::name))
                    .toList();
            regions.forEach(OnlineRegion::unload);
            if (memory.isShort(bytes)) {
                relieve(regions);
            }
        } finally {
            if (memory.isShort(bytes)) {
                pausesUntil = nanoTime.getAsLong() + PAUSE_NANOS;
            }
            scheduled.set(false);
        }
    }

    /** Moves at least half of what waits, unless that is too little: the queues of half the average size or more. */
    private void relieve(List<OnlineRegion> regions) {
        LongSummaryStatistics queues =
                regions.stream().flatMapToLong(OnlineRegion::parkableBytes).summaryStatistics();
        if (queues.getSum() >= memory.worthParking()) {
            long least = (long) (queues.getAverage() / 2);
            regions.forEach(region -> region.relieve(least));
        }
    }
}
