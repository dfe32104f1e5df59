package org.diffindex.server.maintain;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;

/**
 * Lets one write of an indexed row through at a time, from before it has its stamp until it is in the AUQ, so that the
 * order of a row's stamps, of its sequence numbers and of its changes in the AUQ is one and the same. HBase itself takes
 * only shared row locks for puts and deletes.
 *
 * <p>The locks of a batch are taken in the order of the rows, after HBase's own, and nothing is waited for under them but the
 * base write itself, so that they cannot deadlock. A lock takes memory only while a thread holds it or waits for it. Safe for
 * use by many threads.
 */
public class RowLocks {
    /** The locks that are held or waited for. Guarded by this. */
    private Map<ImmutableBytesWritable, RowLock> locks = new HashMap<>();

    private final PeakSize peak = new PeakSize();

    /** The lock of a row, and how many threads hold it or wait for it. */
    private static final class RowLock {
        final ImmutableBytesWritable row;
        final Lock lock = new ReentrantLock();
        int users;

        RowLock(ImmutableBytesWritable row) {
            this.row = row;
        }
    }

    /** Locks of one batch, to be released by the thread that took them; releasing twice does nothing. */
    @FunctionalInterface
    public interface Held {
        void release();
    }

    /** Takes the locks of these rows. */
    public Held acquire(Collection<ImmutableBytesWritable> rows) {
        List<RowLock> held =
                join(rows.size() == 1 ? rows : rows.stream().sorted().toList());
        for (RowLock each : held) {
            take(each.lock);
        }
        return () -> {
            held.forEach(each -> each.lock.unlock());
            leave(held);
            held.clear();
        };
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

    /** Waits for a lock and takes it. */
    protected void take(Lock lock) {
        lock.lock();
    }

    /** How many rows have a lock now. */
    synchronized int size() {
        return locks.size();
    }
}
