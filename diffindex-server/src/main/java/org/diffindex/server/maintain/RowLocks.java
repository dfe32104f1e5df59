package org.diffindex.server.maintain;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;

/**
 * Serializes the writes of each indexed row, from before a write has its stamp until it is in the AUQ, so that a row's
 * stamps, sequence numbers and changes in the AUQ have the same order. HBase itself takes only shared row locks for
 * puts and deletes.
 *
 * <p>The locks of a batch are acquired in row order, after HBase's own, and while they are held their owner waits for
 * nothing but the base write itself; so they cannot deadlock. The exception is a coprocessor that writes other rows
 * within the hooks of a write, on its thread or on another one: two such writes may wait for each other. Therefore
 * writes wait for a limited time only. A lock occupies memory only while a thread holds it or waits for it.
 * Thread-safe.
 */
public class RowLocks {
    /** The locks that are held or waited for. Guarded by this. */
    private Map<ImmutableBytesWritable, RowLock> locks = new HashMap<>();

    private final PeakSize peak = new PeakSize();

    /** The lock of a row, and the number of threads that hold it or wait for it. */
    private static final class RowLock {
        final ImmutableBytesWritable row;
        final Lock lock = new ReentrantLock();
        int users;

        RowLock(ImmutableBytesWritable row) {
            this.row = row;
        }
    }

    /** The acquired locks of one batch. The thread that acquired them releases them; a second release has no effect. */
    @FunctionalInterface
    public interface Held {
        void release();

        /** Returns these locks and others, which are released after these, once an action has been run. */
        default Held and(Runnable before, Held others) {
            return () -> {
                try {
                    release();
                    before.run();
                } finally {
                    others.release();
                }
            };
        }
    }

    /** Acquires the locks of these rows; blocks until it holds all of them. */
    public Held acquire(Collection<ImmutableBytesWritable> rows) {
        List<RowLock> held = join(inOrder(rows));
        for (RowLock each : held) {
            take(each.lock);
        }
        return () -> release(held);
    }

    /**
     * Acquires the locks of these rows; blocks until it holds all of them, the time has passed, or the thread is
     * interrupted while it waits, whose status then stays set.
     *
     * @return the locks; null, and it holds none of them, unless it holds all
     */
    public Held acquireWithin(Duration atMost, Collection<ImmutableBytesWritable> rows) {
        List<RowLock> joined = join(inOrder(rows));
        int held = 0;
        try {
            long end = System.nanoTime() + atMost.toNanos();
            while (held < joined.size() && takeBefore(end, joined.get(held).lock)) {
                held++;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (held < joined.size()) {
            joined.subList(0, held).forEach(each -> each.lock.unlock());
            leave(joined);
            return null;
        }
        return () -> release(joined);
    }

    /** Acquires a lock that is free even if the thread is interrupted. */
    private static boolean takeBefore(long end, Lock lock) throws InterruptedException {
        return lock.tryLock() || lock.tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    private static Collection<ImmutableBytesWritable> inOrder(Collection<ImmutableBytesWritable> rows) {
        return rows.size() == 1 ? rows : rows.stream().sorted().toList();
    }

    private void release(List<RowLock> held) {
        held.forEach(each -> each.lock.unlock());
        leave(held);
        held.clear();
    }

    private synchronized List<RowLock> join(Collection<ImmutableBytesWritable> rows) {
        List<RowLock> joined = new ArrayList<>(rows.size());
        for (ImmutableBytesWritable row : rows) {
            RowLock lock = locks.computeIfAbsent(row, RowLock::new);
            lock.users++;
            joined.add(lock);
        }
        peak.reached(locks.size());
        return joined;
    }

    private synchronized void leave(Collection<RowLock> joined) {
        for (RowLock lock : joined) {
            lock.users--;
            if (lock.users == 0) {
                locks.remove(lock.row);
            }
        }
        if (peak.isOutgrown(locks.size())) {
            locks = new HashMap<>();
        }
    }

    /** Blocks until a lock is acquired. */
    protected void take(Lock lock) {
        lock.lock();
    }

    /**
     * Waits for those that hold a lock now: each has released it when this returns. Others may hold it then. The thread
     * must hold none.
     */
    public void awaitHeld() {
        for (ImmutableBytesWritable row : held()) {
            acquire(Set.of(row)).release();
        }
    }

    private synchronized List<ImmutableBytesWritable> held() {
        return List.copyOf(locks.keySet());
    }

    /** Returns those of some rows whose locks are held or waited for, all at the same moment. */
    public Set<ImmutableBytesWritable> heldAmong(Set<ImmutableBytesWritable> rows) {
        synchronized (this) { // not the method: an override may wait
            if (locks.isEmpty()) {
                return Set.of();
            }
            Set<ImmutableBytesWritable> held = new HashSet<>(rows);
            held.retainAll(locks.keySet());
            return held;
        }
    }

    /** Returns the number of locks held or waited for. */
    synchronized int size() {
        return locks.size();
    }
}
