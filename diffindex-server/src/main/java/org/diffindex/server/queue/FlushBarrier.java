package org.diffindex.server.queue;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * Lets a flush wait, for a bounded time, for the index updates of the writes that it flushes: the paper's "drain the
 * AUQ before the flush" (section 5.3). A write registers before it can be in the memstore and leaves when its index
 * updates are durable, parked, or moved to lanes. A flush waits only for writes that registered before it; later
 * writers need not stop.
 *
 * <p>A wait may have several parts, if it is longer than a call may last: all of them name one {@link #cut}.
 *
 * <p>A registration is either common or of one index. An update for an index that is behind holds a registration of
 * that index alone, so each caller chooses the indexes that it waits for.
 *
 * <p>Thread-safe.
 */
public final class FlushBarrier {
    private final Lock lock;
    private final Condition left;

    /**
     * The number of the first generation. Drawn at random, so that the cut of another barrier, such as that of the region
     * on its server before, is not mistaken for one of this.
     */
    private final long firstNumber = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE >> 1);

    /**
     * Writes register in the current generation; a flush begins the next and waits for this one and all earlier ones.
     * Guarded by the lock.
     */
    private Generation current = new Generation(firstNumber, null);

    public FlushBarrier() {
        this(new ReentrantLock());
    }

    /** Creates a barrier whose waits use a condition of the given lock. */
    public FlushBarrier(Lock lock) {
        this.lock = lock;
        this.left = lock.newCondition();
    }

    private static final class Generation {
        private final long number;

        /** Number of common registrations. */
        private long inside;

        /** Number of registrations of single indexes, by index name; mostly empty. */
        private Map<String, Long> apart = Map.of();

        /** The oldest read point that a registration of this generation needs; {@link Long#MAX_VALUE} if none does. */
        private long pastNeededFrom = Long.MAX_VALUE;

        /** The preceding generation that may have registrations, or null; generations become empty in any order. */
        private Generation previous;

        Generation(long number, Generation previous) {
            this.number = number;
            this.previous = previous;
        }

        boolean isEmpty() {
            return inside == 0 && apart.isEmpty();
        }

        void add(String index, long registrations) {
            if (index == null) {
                inside += registrations;
            } else {
                apart = apart.isEmpty() ? new HashMap<>() : apart;
                apart.merge(index, registrations, (before, more) -> before + more == 0 ? null : before + more);
            }
        }

        /**
         * Returns the registrations of this generation and all earlier ones. Also unlinks earlier generations that are
         * empty, since nothing registers in these.
         */
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

        /** Adds the registrations of single indexes to a map; returns the number of common ones. */
        private long addTo(Map<String, Long> ofIndexes) {
            if (!apart.isEmpty()) {
                apart.forEach((index, registrations) -> ofIndexes.merge(index, registrations, Long::sum));
            }
            return inside;
        }
    }

    /**
     * Numbers of registrations.
     *
     * @param common registrations that concern any index
     * @param apart registrations that concern one index, by index name; never zero
     */
    public record Inside(long common, Map<String, Long> apart) {
        /** Returns the number of common registrations and of registrations of the indexes that match. */
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

    /** A write's registration at the barrier; call {@link #leave} exactly once. */
    public final class Registration implements Comparable<Registration> {
        private final Generation generation;

        /** The name of the index; null if the registration is common. */
        private final String index;

        /** Adds a registration to a generation. The caller must have acquired the lock. */
        private Registration(Generation generation, String index) {
            this.generation = generation;
            this.index = index;
            generation.add(index, 1);
        }

        /**
         * Returns another registration in the same generation, of one index alone. Every wait for this registration
         * that includes the index waits for the other one too, even if the wait began before this call. Must not be
         * called after {@link #leave}.
         */
        public Registration another(String ofIndex) {
            lock.lock();
            try {
                return new Registration(generation, ofIndex);
            } finally {
                lock.unlock();
            }
        }

        /**
         * Declares that the region's rows must be readable at the given read point and at any later one, at least as
         * long as this registration lasts.
         */
        public void needsPastFrom(long readPoint) {
            lock.lock();
            try {
                generation.pastNeededFrom = Math.min(generation.pastNeededFrom, readPoint);
            } finally {
                lock.unlock();
            }
        }

        /** Compares by age: a registration of an earlier generation is less. Not consistent with equals. */
        @Override
        public int compareTo(Registration other) {
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

    /** Returns a new common registration. */
    public Registration register() {
        return register(null);
    }

    /** Returns a new registration of one index alone; a common one if the name is null. */
    public Registration register(String index) {
        lock.lock();
        try {
            return new Registration(current, index);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the oldest read point at which the region's rows must be readable; {@link Long#MAX_VALUE} if there is
     * none.
     */
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

    /** Returns the number of all registrations that have not ended. */
    public long inside() {
        lock.lock();
        try {
            return current.insideUpToThis().total();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until all registrations that exist now have ended or the time is up.
     *
     * @return how many of them have not ended; 0 if the wait succeeded
     */
    public long awaitAllInside(long timeout, TimeUnit unit) throws InterruptedException {
        return await(cut(), timeout, unit, index -> true).total();
    }

    /** Returns a number that separates the registrations that exist now from all later ones. */
    public long cut() {
        lock.lock();
        try {
            long cut = current.number;
            current = new Generation(cut + 1, current);
            return cut;
        } finally {
            lock.unlock();
        }
    }

    /** Returns a number that {@link #cut} has returned before; a new one if this barrier has not returned it. */
    public long cut(long earlier) {
        lock.lock();
        try {
            return earlier >= firstNumber && earlier < current.number ? earlier : cut();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until all common registrations and all registrations of the chosen indexes that existed at a cut have ended,
     * or the time is up.
     *
     * @param cut a number that this barrier has returned
     * @param indexes selects by name the indexes to wait for
     * @return the registrations, among those that existed at the cut, that have not ended, including those of the other
     *     indexes
     */
    public Inside await(long cut, long timeout, TimeUnit unit, Predicate<String> indexes) throws InterruptedException {
        lock.lock();
        try {
            long nanos = unit.toNanos(timeout);
            while (insideUpTo(cut).of(indexes) > 0 && nanos > 0) {
                nanos = left.awaitNanos(nanos);
            }
            return insideUpTo(cut);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the registrations of the generations up to a number. The caller must have acquired the lock. */
    private Inside insideUpTo(long number) {
        Generation last = current;
        while (last != null && last.number > number) {
            last = last.previous;
        }
        return last == null ? new Inside(0, Map.of()) : last.insideUpToThis();
    }
}
