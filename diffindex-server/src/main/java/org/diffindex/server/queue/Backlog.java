package org.diffindex.server.queue;

import java.util.concurrent.TimeUnit;

/**
 * The changes of a region that its indexes have not received yet, including those in flight.
 *
 * @param rows number of queued row changes
 * @param bytes the memory that they hold, in bytes
 * @param oldestAgeMs age of the oldest change in milliseconds, since it was queued; 0 if there is none
 */
public record Backlog(long rows, long bytes, long oldestAgeMs) {
    /** Returns the backlog of a queue and of a batch that was taken from it. */
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

    /** Returns the sum of two backlogs, with the greater age. */
    Backlog plus(Backlog other) {
        return new Backlog(rows + other.rows, bytes + other.bytes, Math.max(oldestAgeMs, other.oldestAgeMs));
    }
}
