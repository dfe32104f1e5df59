package org.diffindex.server.queue;

import java.util.concurrent.TimeUnit;
import org.diffindex.model.IndexDefinition;

/**
 * The changes of a region that its indexes have not received yet, including those in flight.
 *
 * @param rows number of queued row changes
 * @param bytes the memory that they hold, in bytes
 * @param oldestAgeMs age of the oldest change in milliseconds, since it was queued; 0 if there is none
 */
public record Backlog(long rows, long bytes, long oldestAgeMs) {
    /** The backlog of an empty queue. */
    public static final Backlog NONE = new Backlog(0, 0, 0);

    /** Returns the backlog of a queue and of a batch that was taken from it. */
    static Backlog of(UpdateQueue queue, Iterable<QueuedChange> inFlight, long nowNanos) {
        Backlog sum = new Backlog(queue.size(), queue.heapSize(), queue.oldestAgeMs(nowNanos));
        for (QueuedChange item : inFlight) {
            sum = sum.plus(item, nowNanos);
        }
        return sum;
    }

    /** Returns those changes of a queue, and of a batch that was taken from it, that one index lacks. */
    static Backlog of(IndexDefinition index, UpdateQueue queue, Iterable<QueuedChange> inFlight, long nowNanos) {
        Backlog sum = queue.backlogOf(index, nowNanos);
        for (QueuedChange item : inFlight) {
            if (item.indexes().contains(index)) {
                sum = sum.plus(item, nowNanos);
            }
        }
        return sum;
    }

    /** Returns the backlog with a change added. */
    Backlog plus(QueuedChange item, long nowNanos) {
        long ageMs = TimeUnit.NANOSECONDS.toMillis(nowNanos - item.sinceNanos());
        return new Backlog(rows + 1, bytes + item.heapSize(), Math.max(oldestAgeMs, ageMs));
    }

    /** Returns the sum of two backlogs, with the greater age. */
    public Backlog plus(Backlog other) {
        return new Backlog(rows + other.rows, bytes + other.bytes, Math.max(oldestAgeMs, other.oldestAgeMs));
    }
}
