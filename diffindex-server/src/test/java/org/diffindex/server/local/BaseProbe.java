package org.diffindex.server.local;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.ScanOptions;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;

/**
 * A second coprocessor of a base region, which counts HBase's puts and reads there, makes reads and WAL appends fail,
 * and does what a test wants in the hooks of reads and writes.
 */
public final class BaseProbe implements RegionCoprocessor, RegionObserver {
    public final Tally puts = new Tally();
    public final Tally reads = new Tally();
    public final Tally replayed = new Tally();
    public final Failures failures = new Failures();
    public final Failures failingWrites = new Failures();

    /** The number of versions of a cell that the last flush kept. */
    public volatile int versionsOfLastFlush;

    /** Holds a write that is in the memstore and not yet visible. */
    public final Gate gate = new Gate();

    /** The actions of threads when they begin to read. */
    private final Map<Thread, Runnable> atNextRead = new ConcurrentHashMap<>();

    /** The work of another coprocessor in a hook. */
    @FunctionalInterface
    public interface Task {
        void run() throws IOException;
    }

    /** The actions of threads before their next WAL appends. */
    private final Map<Thread, Task> beforeNextAppend = new ConcurrentHashMap<>();

    /** The actions of threads after their next puts or deletes. */
    private final Map<Thread, Task> afterNextWrite = new ConcurrentHashMap<>();

    /** Runs a task before the next WAL append of this thread, within HBase's hook for it. */
    public void beforeNextAppend(Task task) {
        beforeNextAppend.put(Thread.currentThread(), task);
    }

    /** Runs a task when the next put or delete of this thread is visible, within HBase's hook for it. */
    public void afterNextWrite(Task task) {
        afterNextWrite.put(Thread.currentThread(), task);
    }

    /** Runs a task when this thread begins its next read: it has its read point then, and has read nothing. */
    public void atNextRead(Runnable task) {
        atNextRead.put(Thread.currentThread(), task);
    }

    @Override
    public Optional<RegionObserver> getRegionObserver() {
        return Optional.of(this);
    }

    @Override
    public void postBatchMutate(
            ObserverContext<RegionCoprocessorEnvironment> context, MiniBatchOperationInProgress<Mutation> batch) {
        puts.add(batch.size());
        gate.pass();
    }

    /** Runs after the index's own hook. */
    @Override
    public void postPut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
            throws IOException {
        run(afterNextWrite);
    }

    /** Runs after the index's own hook. */
    @Override
    public void postDelete(ObserverContext<RegionCoprocessorEnvironment> context, Delete delete, WALEdit edit)
            throws IOException {
        run(afterNextWrite);
    }

    private static void run(Map<Thread, Task> tasks) throws IOException {
        Task task = tasks.remove(Thread.currentThread());
        if (task != null) {
            task.run();
        }
    }

    /** Runs after the index's own hook. */
    @Override
    public void preFlushScannerOpen(
            ObserverContext<RegionCoprocessorEnvironment> context,
            Store store,
            ScanOptions options,
            FlushLifeCycleTracker tracker) {
        versionsOfLastFlush = options.getMaxVersions();
    }

    /** Runs after the index's own hook. */
    @Override
    public void preWALAppend(ObserverContext<RegionCoprocessorEnvironment> context, WALKey key, WALEdit edit)
            throws IOException {
        if (failingWrites.next()) {
            throw new IOException("The WAL cannot be written");
        }
        run(beforeNextAppend);
    }

    @Override
    public void postWALRestore(
            ObserverContext<? extends RegionCoprocessorEnvironment> context,
            RegionInfo info,
            WALKey key,
            WALEdit edit) {
        replayed.add(1);
    }

    @Override
    public void preStoreScannerOpen(
            ObserverContext<RegionCoprocessorEnvironment> context, Store store, ScanOptions options)
            throws IOException {
        if (failures.next()) {
            throw new IOException("The base cannot be read");
        }
        reads.add(1);
        Runnable task = atNextRead.remove(Thread.currentThread());
        if (task != null) {
            task.run();
        }
    }
}
