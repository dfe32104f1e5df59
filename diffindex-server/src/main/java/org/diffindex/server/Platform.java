package org.diffindex.server;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowLocks;

/**
 * What the indexed regions of a server take from the machine and from HBase's insides: the time, threads, what threads wait at,
 * and how a batch is carried out. The seam by which a simulation takes their place. Safe for use by many threads.
 */
class Platform {
    /** HBase's own clock. */
    InstantSource wallClock() {
        return () -> Instant.ofEpochMilli(EnvironmentEdgeManager.currentTime());
    }

    long nanoTime() {
        return System.nanoTime();
    }

    ScheduledExecutorService processorThreads(int count) {
        return Executors.newScheduledThreadPool(count, named("diffindex-aps-%d"));
    }

    /** As many threads as the APS has calls under way. */
    ExecutorService callThreads() {
        return Executors.newCachedThreadPool(named("diffindex-aps-call-%d"));
    }

    /**
     * As many threads as there is something to be written at a time.
     *
     * @param kind what is written, for the names of the threads
     */
    ExecutorService writerThreads(String kind) {
        return Executors.newCachedThreadPool(named("diffindex-" + kind + "-%d"));
    }

    ExecutorService diskThread() {
        return Executors.newSingleThreadExecutor(named("diffindex-spill"));
    }

    /** The thread that deletes stale entries. */
    ScheduledExecutorService cleanupThread() {
        return Executors.newSingleThreadScheduledExecutor(named("diffindex-cleanup"));
    }

    private static ThreadFactory named(String format) {
        return new ThreadFactoryBuilder().setNameFormat(format).setDaemon(true).build();
    }

    /** The locks of one region's rows. */
    RowLocks rowLocks() {
        return new RowLocks();
    }

    /** The clock of one region. */
    RowClock rowClock() {
        return new RowClock(wallClock());
    }

    /** The writes of one region of which the WAL does not tell whether it has them. */
    UncertainWrites uncertainWrites() {
        return new UncertainWrites();
    }

    /** A lock with a condition, for something of a region that is waited for. */
    Lock lock() {
        return new ReentrantLock();
    }

    /** Whether HBase carries out the batch that is written on this thread as a whole, or each write for itself. */
    boolean isAtomic(MiniBatchOperationInProgress<Mutation> batch) {
        return Atomicity.of(batch);
    }

    /** The oldest read point that a scanner of the region has: what can be seen there flushes and compactions keep. */
    long smallestReadPoint(Region region) {
        return ((HRegion) region).getSmallestReadPoint();
    }
}
