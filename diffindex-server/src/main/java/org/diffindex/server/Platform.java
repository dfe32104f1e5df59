package org.diffindex.server;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.maintain.RowMemory;
import org.diffindex.server.spill.SpillFiles;

/**
 * The seam between the indexed regions of a server and its environment, which a simulation can replace: time, threads,
 * locks, and HBase internals. Thread-safe.
 */
class Platform {
    /** Returns HBase's clock. */
    InstantSource wallClock() {
        return () -> Instant.ofEpochMilli(EnvironmentEdgeManager.currentTime());
    }

    long nanoTime() {
        return System.nanoTime();
    }

    /** Creates the lease of a region's server. */
    SessionLease lease(RegionCoprocessorEnvironment env) {
        return SessionLease.of(env);
    }

    /** Returns what tells whether the regions of a region's server are still its own. */
    SpillFiles.Holding holding(RegionCoprocessorEnvironment env) {
        return WalFolder.of(env);
    }

    ScheduledExecutorService processorThreads(int count) {
        return new LoggedThreads(count, named("diffindex-aps-%d"));
    }

    /** Creates the threads for the APS's calls: one for each call in flight. */
    ExecutorService callThreads() {
        return Executors.newCachedThreadPool(named("diffindex-aps-call-%d"));
    }

    /**
     * Creates threads for writes: one for each write in flight.
     *
     * @param kind what is written, for the names of the threads
     */
    ExecutorService writerThreads(String kind) {
        return Executors.newCachedThreadPool(named("diffindex-" + kind + "-%d"));
    }

    ExecutorService diskThread() {
        return Executors.newSingleThreadExecutor(named("diffindex-spill"));
    }

    /** Creates the thread that deletes stale entries. */
    ScheduledExecutorService cleanupThread() {
        return new LoggedThreads(1, named("diffindex-cleanup"));
    }

    private static ThreadFactory named(String format) {
        return new ThreadFactoryBuilder().setNameFormat(format).setDaemon(true).build();
    }

    /** Creates the locks of one region's rows. */
    RowLocks rowLocks() {
        return new RowLocks();
    }

    /** Creates the clock of one region. */
    RowClock rowClock() {
        return new RowClock(wallClock());
    }

    /**
     * Creates the memory of one region's rows.
     *
     * @param hits counts the rows that were not read because they were remembered
     * @param isUsed returns whether anything is remembered; first called when the region is open
     */
    RowMemory rowMemory(RowMemory.Shared shared, LongAdder hits, BooleanSupplier isUsed) {
        return new RowMemory(shared, hits, isUsed);
    }

    /** Creates the record of one region's writes of which it is unknown whether the WAL contains them. */
    UncertainWrites uncertainWrites() {
        return new UncertainWrites();
    }

    /** Creates a lock for a region, with whose conditions threads wait. */
    Lock lock() {
        return new ReentrantLock();
    }

    /**
     * Returns whether HBase carries out the batch that this thread writes as a whole, rather than each write
     * separately.
     */
    boolean isAtomic(MiniBatchOperationInProgress<Mutation> batch) {
        return Atomicity.of(batch);
    }

    /**
     * Returns a supplier of whether a region's rows show to every read what was written: whether no other coprocessor of
     * the region may hide cells from some reads, or drop cells from the region's files. In doubt it supplies false.
     *
     * @param harmless the names of classes that certainly do neither, whatever hooks they have
     */
    BooleanSupplier showsWhatIsWritten(Region region, Set<String> harmless) {
        return new HidingCoprocessors((HRegion) region, harmless)::areAbsent;
    }

    /**
     * Returns a supplier of whether HBase's own rules decide which cells of a region are visible: whether no other
     * coprocessor of the region may have replaced them. In doubt it supplies false.
     *
     * @param harmless the names of classes that certainly have not, whatever hooks they have
     */
    BooleanSupplier hasHBasesRules(Region region, Set<String> harmless) {
        return new VisibilityRules((HRegion) region, harmless)::areHBases;
    }

    /**
     * Waits until every write of a region that is in the memstore now is visible. The thread must have no write of the
     * region in flight.
     */
    void awaitVisible(Region region) {
        ((HRegion) region).getMVCC().await();
    }

    /** Returns whether the write of a region with a log sequence number is visible, if it has not failed. */
    boolean isVisible(Region region, long sequence) {
        return ((HRegion) region).getMVCC().getReadPoint() >= sequence;
    }

    /**
     * Returns the oldest read point of any scanner of the region; flushes and compactions keep what is visible there.
     */
    long smallestReadPoint(Region region) {
        return ((HRegion) region).getSmallestReadPoint();
    }
}
