package org.diffindex.server.queue;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * Where a flush waits until the index updates of all that it is about to flush are delivered: the paper's "drain the AUQ
 * before the flush" (section 5.3). A write enters before it can be in the memstore and leaves when its index updates are
 * durable. The flush waits only for those that entered before it came, so that writers need not stop.
 *
 * <p>A stay is common, or that of one index: what an index lacks that is behind the others holds a stay of that index alone.
 * So each caller chooses the indexes that it waits for.
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

        /** The common stays. */
        private long inside;

        /** The stays of one index, by its name; mostly none. */
        private Map<String, Long> apart = Map.of();

        /** No stay of this generation needs the past before this read point. */
        private long pastNeededFrom = Long.MAX_VALUE;

        /** A generation before with writes inside, and those before it; generations empty in any order. */
        private Generation previous;

        Generation(Generation previous) {
            this.previous = previous;
            this.number = previous == null ? 0 : previous.number + 1;
        }

        boolean isEmpty() {
            return inside == 0 && apart.isEmpty();
        }

        void add(String index, long stays) {
            if (index == null) {
                inside += stays;
            } else {
                apart = apart.isEmpty() ? new HashMap<>() : apart;
                apart.merge(index, stays, (before, more) -> before + more == 0 ? null : before + more);
            }
        }

        /** Also forgets the empty generations before this: nobody enters them any more. */
        Inside insideUpToThis() {
            Map<String, Long> ofIndexes = new TreeMap<>();
            long sum = addTo(ofIndexes);
            Generation newer = this;
            for (Generation each = previous; each != null; each = each.previous) {
                if (each.isEmpty()) {
                    newer.previous = each.previous;
                } else {
                    sum += each.addTo(ofIndexes);
                    newer = each;
                }
            }
            return new Inside(sum, ofIndexes);
        }

        /** Adds up the stays of indexes; returns the common ones. */
        private long addTo(Map<String, Long> ofIndexes) {
            if (!apart.isEmpty()) {
                apart.forEach((index, stays) -> ofIndexes.merge(index, stays, Long::sum));
            }
            return inside;
        }
    }

    /**
     * How many stays there are.
     *
     * @param common those that concern any index
     * @param apart those that concern one index, by its name; an index without any is not named
     */
    public record Inside(long common, Map<String, Long> apart) {
        /** The common ones and those of the indexes of which the predicate holds. */
        public long of(Predicate<String> indexes) {
            return common
                    + apart.entrySet().stream()
                            .filter(index -> indexes.test(index.getKey()))
                            .mapToLong(Map.Entry::getValue)
                            .sum();
        }

        public long total() {
            return of(index -> true);
        }
    }

    /** One write's stay inside; leave it exactly once. */
    public final class Stay implements Comparable<Stay> {
        private final Generation generation;

        /** The name of the index that it is of; null if it is common. */
        private final String index;

        /** Under the lock. */
        private Stay(Generation generation, String index) {
            this.generation = generation;
            this.index = index;
            generation.add(index, 1);
        }

        /**
         * Another stay, of one index alone, that is waited for by all who wait for this one and for that index, and perhaps
         * by some who came earlier. To be asked for only while this one lasts.
         */
        public Stay another(String ofIndex) {
            lock.lock();
            try {
                return new Stay(generation, ofIndex);
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
                generation.add(index, -1);
                if (generation.isEmpty()) {
                    generation.pastNeededFrom = Long.MAX_VALUE;
                }
                if (generation.inside == 0) {
                    left.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Begins a common stay. */
    public Stay enter() {
        return enter(null);
    }

    /** Begins a stay of one index alone. */
    public Stay enter(String index) {
        lock.lock();
        try {
            return new Stay(current, index);
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
            return current.insideUpToThis().total();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until all that are inside now have left, or the time is up.
     *
     * @return how many of them are still inside: 0 if the wait succeeded
     */
    public long awaitAllInside(long timeout, TimeUnit unit) throws InterruptedException {
        return await(timeout, unit, index -> true).total();
    }

    /**
     * Waits until all common stays, and those of some indexes, that are inside now have left, or the time is up.
     *
     * @param indexes holds of the names of the indexes to be waited for
     * @return which of all stays that were inside then still are, those of the other indexes included
     */
    public Inside await(long timeout, TimeUnit unit, Predicate<String> indexes) throws InterruptedException {
        lock.lock();
        try {
            Generation waitedFor = current;
            current = new Generation(waitedFor);
            long nanos = unit.toNanos(timeout);
            while (waitedFor.insideUpToThis().of(indexes) > 0 && nanos > 0) {
                nanos = left.awaitNanos(nanos);
            }
            return waitedFor.insideUpToThis();
        } finally {
            lock.unlock();
        }
    }
}
