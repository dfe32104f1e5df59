package org.diffindex.server.queue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexSet;

/**
 * The parked spill files of one region, those that some indexes have not loaded yet, in the order in which they were
 * parked; files that cannot be read move to the end.
 *
 * <p>Thread-safe. {@link #load} acquires the locks of the queue and of the flush barrier while it holds the lock of
 * this object; no thread acquires them in the opposite order.
 */
final class ParkedFiles {
    private final Lock lock;

    /** Signalled when an index loads a file, and when the region closes. */
    private final Condition loaded;

    /** Guarded by the lock. */
    private final Deque<Parked> files = new ArrayDeque<>(0);

    /** Whether any file is parked; not reset by {@link #close}. Written under the lock. */
    private volatile boolean isAny;

    /** Set once, under the lock. */
    private volatile boolean closed;

    /** Number of times that a file was parked. */
    private final AtomicLong timesParked = new AtomicLong();

    /**
     * A file that some indexes have not loaded yet.
     *
     * @param registrations by index, the registration that makes a drain of the index wait for the file and keeps the
     *     past of its rows readable; guarded by the lock
     */
    record Parked(CoveringFile file, Map<IndexDefinition, FlushBarrier.Registration> registrations) {
        private boolean isFor(IndexDefinition index) {
            return registrations.containsKey(index);
        }

        private boolean isForAny(IndexSet indexes) {
            return registrations.keySet().stream().anyMatch(indexes::contains);
        }
    }

    /** Creates an empty collection that is guarded by the given lock. */
    ParkedFiles(Lock lock) {
        this.lock = lock;
        this.loaded = lock.newCondition();
    }

    void add(Parked file) {
        lock.lock();
        try {
            files.addLast(file);
            isAny = true;
            timesParked.incrementAndGet();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether any file is parked, without the lock. The answer is not reset by {@link #close}. */
    boolean isAny() {
        return isAny;
    }

    int count() {
        return count(file -> true);
    }

    /** Returns the number of files that an index has not loaded yet. */
    int count(IndexDefinition index) {
        return count(file -> file.isFor(index));
    }

    private int count(Predicate<Parked> which) {
        lock.lock();
        try {
            return (int) files.stream().filter(which).count();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the first file that an index has not loaded yet; it stays parked. */
    Optional<Parked> firstFor(IndexDefinition index) {
        lock.lock();
        try {
            return files.stream().filter(file -> file.isFor(index)).findFirst();
        } finally {
            lock.unlock();
        }
    }

    /** Moves a file that cannot be read to the end, so that the others need not wait for it. */
    void moveBack(Parked file) {
        lock.lock();
        try {
            if (files.remove(file)) {
                files.addLast(file);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Loads a file for an index, unless the region was closed since {@link #firstFor}. The file is no longer parked
     * once all its indexes have loaded it.
     *
     * @param enqueue moves the content to the index's queue and takes over the registration; called under the lock, so
     *     that {@link #whileLackingIsLoaded} finds each change either parked or in the queue
     */
    void load(Parked file, IndexDefinition index, Consumer<FlushBarrier.Registration> enqueue) {
        lock.lock();
        try {
            FlushBarrier.Registration registration = file.registrations().remove(index);
            if (registration != null) {
                if (file.registrations().isEmpty()) {
                    files.remove(file);
                    isAny = !files.isEmpty();
                }
                enqueue.accept(registration);
                loaded.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until no file is parked that one of these indexes may lack, then evaluates a question. Repeats both if a
     * file was parked during the evaluation, since the answer may miss its changes.
     *
     * @param timeoutMs the limit of each wait, in milliseconds
     * @throws IOException if such a file is still parked when the time is up, the region was closed before the end of
     *     the evaluation, or the thread is interrupted
     */
    <T> T whileLackingIsLoaded(IndexSet indexes, long timeoutMs, Supplier<T> question) throws IOException {
        while (true) {
            long before = timesParked.get();
            awaitLackingLoaded(indexes, timeoutMs);
            T answer = question.get();
            requireOpen();
            if (timesParked.get() == before) {
                return answer;
            }
        }
    }

    /** Throws if the region is closed: what its indexes lack is no longer in memory, nor parked here. */
    private void requireOpen() throws IOException {
        if (closed) {
            throw new IOException("The region was closed; its next server delivers what the indexes lack");
        }
    }

    private void awaitLackingLoaded(IndexSet indexes, long timeoutMs) throws IOException {
        long nanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        try {
            lock.lock();
            try {
                while (files.stream().anyMatch(file -> file.isForAny(indexes))) {
                    if (nanos <= 0) {
                        throw new IOException("Index updates from before a crash or an outage are still on disk");
                    }
                    nanos = loaded.awaitNanos(nanos);
                }
            } finally {
                lock.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted while waiting for index updates").initCause(e);
        }
    }

    /**
     * Removes all files and ends their registrations, since the region is closed. Waits of {@link
     * #whileLackingIsLoaded} fail. Must be called before the queues of the region are cleared.
     */
    void close() {
        lock.lock();
        try {
            closed = true;
            for (Parked file : files) {
                file.registrations().values().forEach(FlushBarrier.Registration::leave);
                file.registrations().clear();
            }
            files.clear();
            loaded.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
