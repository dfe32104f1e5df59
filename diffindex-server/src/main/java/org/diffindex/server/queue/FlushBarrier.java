package org.diffindex.server.queue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where a flush waits until the index updates of all that it is about to flush are delivered: the paper's "drain the AUQ
 * before the flush" (section 5.3). A write enters before it can be in the memstore and leaves when its index updates are
 * durable. The flush waits only for those that entered before it came, so that writers need not stop.
 *
 * <p>Safe for use by many threads.
 */
public final class FlushBarrier {
    private final Lock lock;
    private final Condition left;

    /** Guarded by the lock. Writes enter the current generation; a flush begins the next and waits for the ones before. */
    private Generation current = new Generation(null);

    public FlushBarrier() {
        this(new ReentrantLock());
    }

    /** A barrier that waits at a condition of the given lock. */
    public FlushBarrier(Lock lock) {
        this.lock = lock;
        this.left = lock.newCondition();
    }

    private static final class Generation {
        private final long number;
        private long inside;

        /** No stay of this generation needs the past before this read point. */
        private long pastNeededFrom = Long.MAX_VALUE;

        /** A generation before with writes inside, and those before it; generations empty in any order. */
        private Generation previous;

        Generation(Generation previous) {
            this.previous = previous;
            this.number = previous == null ? 0 : previous.number + 1;
        }

        /** Also forgets the empty ones before this: nobody enters them any more. */
        long insideUpToThis() {
            long sum = inside;
            Generation newer = this;
            for (Generation each = previous; each != null; each = each.previous) {
                if (each.inside == 0) {
                    newer.previous = each.previous;
                } else {
                    sum += each.inside;
                    newer = each;
                }
            }
            return sum;
        }
    }

    /** One write's stay inside; leave it exactly once. */
    public final class Stay implements Comparable<Stay> {
        private final Generation generation;

        private Stay(Generation generation) {
            this.generation = generation;
        }

        /**
         * Another stay that is waited for by all who wait for this one, and perhaps by some who came earlier. To be asked
         * for only while this one lasts.
         */
        public Stay another() {
            lock.lock();
            try {
                generation.inside++;
                return new Stay(generation);
            } finally {
                lock.unlock();
            }
        }

        /** As long as this lasts, the region's rows as they were at a read point, and at any later one, are to be read. */
        public void needsPastFrom(long readPoint) {
            lock.lock();
            try {
                generation.pastNeededFrom = Math.min(generation.pastNeededFrom, readPoint);
            } finally {
                lock.unlock();
            }
        }

        /** The order in which they are waited for: the older one is less. */
        @Override
        public int compareTo(Stay other) {
            return Long.compare(generation.number, other.generation.number);
        }

        public void leave() {
            lock.lock();
            try {
                generation.inside--;
                if (generation.inside == 0) {
                    generation.pastNeededFrom = Long.MAX_VALUE;
                    left.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Begins a stay. */
    public Stay enter() {
        lock.lock();
        try {
            current.inside++;
            return new Stay(current);
        } finally {
            lock.unlock();
        }
    }

    /** The oldest read point at which the region's rows are to be read; {@link Long#MAX_VALUE} if none is. */
    public long pastNeededFrom() {
        lock.lock();
        try {
            long oldest = Long.MAX_VALUE;
            for (Generation each = current; each != null; each = each.previous) {
                oldest = Math.min(oldest, each.pastNeededFrom);
            }
            return oldest;
        } finally {
            lock.unlock();
        }
    }

    /** How many are inside. */
    public long inside() {
        lock.lock();
        try {
            return current.insideUpToThis();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until all who are inside now have left, or the time is up.
     *
     * @return how many of them are still inside: 0 if the wait succeeded
     */
    public long awaitAllInside(long timeout, TimeUnit unit) throws InterruptedException {
        lock.lock();
        try {
            Generation waitedFor = current;
            current = new Generation(waitedFor);
            long nanos = unit.toNanos(timeout);
            while (waitedFor.insideUpToThis() > 0 && nanos > 0) {
                nanos = left.awaitNanos(nanos);
            }
            return waitedFor.insideUpToThis();
        } finally {
            lock.unlock();
        }
    }
}
