package org.diffindex.server.sim;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.ScanOptions;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKeyImpl;
import org.diffindex.server.IndexObserver;
import org.diffindex.server.SimulatedMachine;

/** The coprocessor of one open region, with the hooks that HBase calls. A {@link Wiring} may call them differently. */
class Hooks {
    /** The reason for a flush, which decides the hooks that HBase calls. */
    enum Flush {
        ORDINARY,
        AT_CLOSE,
        AT_REPLAY
    }

    /**
     * Options of a flush's scan. No client deletes a single version here, so the number of kept versions does not
     * matter.
     */
    private static final ScanOptions OPTIONS = Stub.of(ScanOptions.class, Map.of("readAllVersions", none -> null));

    final IndexObserver observer = new IndexObserver();
    final Scheduler scheduler;

    Hooks(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    void start(RegionCoprocessorEnvironment env) throws IOException {
        observer.start(env);
    }

    void opening() throws IOException {
        observer.preOpen(null);
    }

    void replayed(RegionInfo region, WALKeyImpl key, WALEdit edit) throws IOException {
        observer.preWALRestore(null, region, key, edit);
    }

    void opened() throws IOException {
        observer.postOpen(null);
    }

    void beforeGet(RegionCoprocessorEnvironment env, Get get) throws IOException {
        observer.preGetOp(contextOf(env), get, List.of());
    }

    void afterGet(RegionCoprocessorEnvironment env, Get get) throws IOException {
        observer.postGetOp(contextOf(env), get, List.of());
    }

    @SuppressWarnings("unchecked") // the only type argument that regions use
    private static ObserverContext<RegionCoprocessorEnvironment> contextOf(RegionCoprocessorEnvironment env) {
        return Stub.of(ObserverContext.class, Map.of("getEnvironment", none -> env));
    }

    void prepare(Mutation mutation) throws IOException {
        if (mutation instanceof Put put) {
            observer.prePut(null, put, null);
        } else if (mutation instanceof Delete delete) {
            observer.preDelete(null, delete, null);
        } else if (mutation instanceof Increment increment) {
            observer.preIncrement(null, increment, null);
        } else {
            observer.preAppend(null, (Append) mutation, null);
        }
    }

    /** Returns the durability with which HBase writes a mutation that was prepared. */
    Durability durabilityOf(Mutation mutation) {
        return mutation.getDurability();
    }

    void beforeBatch(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
        observer.preBatchMutate(null, batch);
    }

    void beforeWalAppend(WALKeyImpl key, WALEdit edit) throws IOException {
        observer.preWALAppend(null, key, edit);
    }

    /** Called when the batch is in the memstore, under the region's lock. */
    void applied(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
        observer.postBatchMutate(null, batch);
    }

    /** Called for each write of a visible batch, when HBase has released its rows. */
    void visible(Mutation mutation) throws IOException {
        if (mutation instanceof Put put) {
            observer.postPut(null, put, null);
        } else if (mutation instanceof Delete delete) {
            observer.postDelete(null, delete, null);
        } else if (mutation instanceof Increment increment) {
            observer.postIncrement(null, increment, null, null);
        } else {
            observer.postAppend(null, (Append) mutation, null, null);
        }
    }

    void completed(MiniBatchOperationInProgress<Mutation> batch, boolean success) throws IOException {
        observer.postBatchMutateIndispensably(null, batch, success);
    }

    void beforeFlush() throws IOException {
        observer.preFlush(null, null);
    }

    void beforeSnapshotIsWritten() throws IOException {
        observer.preFlushScannerOpen(null, null, OPTIONS, null);
    }

    void snapshotTaken(Flush kind) throws IOException {
        observer.preFlush(null, null, null, null);
    }

    void flushed() throws IOException {
        observer.postFlush(null, null);
    }

    void compacted() throws IOException {
        observer.postCompact(null, null, null, null, null);
    }

    void beforeClose() throws IOException {
        observer.preClose(null, false);
    }

    void stop(RegionCoprocessorEnvironment env) {
        observer.stop(env);
    }

    /** Returns how many batches and files the region's flush waits for. */
    final long inside() {
        return SimulatedMachine.inside(observer);
    }
}
