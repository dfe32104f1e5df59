package org.diffindex.server.queue;

import java.util.concurrent.TimeUnit;

/**
 * What the indexes of a region have not been given yet, that which is on its way to them included.
 *
 * @param rows how many changes of rows
 * @param bytes the memory that they hold
 * @param oldestAgeMs how long ago the oldest came, in milliseconds; 0 if there is none
 */
public record Backlog(long rows, long bytes, long oldestAgeMs) {
    /** What waits in an AUQ, and a batch that was taken out of it. */
    static Backlog of(UpdateQueue queue, Iterable<QueuedChange> inFlight, long nowNanos) {
        long rows = queue.size();
        long bytes = queue.heapSize();
        long oldestAgeMs = queue.oldestAgeMs(nowNanos);
        for (QueuedChange item : inFlight) {
            rows++;
            bytes += item.heapSize();
            oldestAgeMs = Math.max(oldestAgeMs, TimeUnit.NANOSECONDS.toMillis(nowNanos - item.sinceNanos()));
        }
        return new Backlog(rows, bytes, oldestAgeMs);
    }

    /** Both together. */
    Backlog plus(Backlog other) {
        return new Backlog(rows + other.rows, bytes + other.bytes, Math.max(oldestAgeMs, other.oldestAgeMs));
    }
}
