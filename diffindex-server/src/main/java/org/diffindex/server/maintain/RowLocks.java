package org.diffindex.server.maintain;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.Striped;

/**
 * Lets one write of an indexed row through at a time, from before it has its stamp until it is in the AUQ, so that the
 * order of a row's stamps, of its sequence numbers and of its changes in the AUQ is one and the same. HBase itself takes
 * only shared row locks for puts and deletes.
 *
 * <p>The locks of a batch are taken in one fixed order, after HBase's own, and nothing is waited for under them but the
 * base write itself, so that they cannot deadlock. Safe for use by many threads.
 */
public class RowLocks {
    /** So many that in practice two rows do not share one; they exist only while they are held. */
    private static final int LOCKS = 1 << 30;

    private final Striped<Lock> locks = Striped.lazyWeakLock(LOCKS);

    /** Locks of one batch, to be released by the thread that took them; releasing twice does nothing. */
    @FunctionalInterface
    public interface Held {
        void release();
    }

    /** Takes the locks of these rows. */
    public Held acquire(Collection<ImmutableBytesWritable> rows) {
        List<Lock> held = new ArrayList<>(rows.size());
        for (Lock lock : locks.bulkGet(rows)) {
            take(lock);
            held.add(lock);
        }
        return () -> {
            held.forEach(Lock::unlock);
            held.clear();
        };
    }

    /** Waits for a lock and takes it. */
    protected void take(Lock lock) {
        lock.lock();
    }
}
