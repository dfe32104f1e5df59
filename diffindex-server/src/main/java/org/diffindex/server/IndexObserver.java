package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.EndpointObserver;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.protobuf.generated.MultiRowMutationProtos.MutateRowsRequest;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.ScanOptions;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.model.CallAttributes;
import org.diffindex.model.LeasedRead;
import org.diffindex.model.ProtectedCells;
import org.diffindex.model.ProtectedColumns;

/**
 * The coprocessor of a base table. Only forwards HBase's hooks to the {@link RegionParts}. A RuntimeException or
 * LinkageError in a hook that may throw becomes a DoNotRetryIOException, since anything other than an IOException would
 * abort the region server. Thread-safe: HBase calls hooks concurrently.
 *
 * <p>Combines the paper's SyncFullObserver, SyncInsertObserver and AsyncObserver (section 7), since each index of a
 * table has its own scheme and all of them share one read of the row.
 */
public final class IndexObserver implements RegionCoprocessor, MutationHooks, EndpointObserver {
    private final IndexLoader loader = new IndexLoader();

    @Override
    public Optional<RegionObserver> getRegionObserver() {
        return Optional.of(loader.observerOr(this));
    }

    @Override
    public Optional<EndpointObserver> getEndpointObserver() {
        return Optional.of(this);
    }

    @Override
    public Iterable<com.google.protobuf.Service> getServices() {
        return loader.services();
    }

    /**
     * Never throws an exception, because HBase would abort the region server, and then the next to which the region
     * moves.
     */
    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void start(CoprocessorEnvironment env) {
        loader.start((RegionCoprocessorEnvironment) env);
    }

    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void stop(CoprocessorEnvironment env) {
        loader.stop((RegionCoprocessorEnvironment) env);
    }

    /** Returns the components that maintain the region's indexes; null if there are none. */
    RegionParts parts() {
        return loader.parts();
    }

    /** The body of a hook for a region that has indexes. */
    @FunctionalInterface
    private interface Hook {
        void run(RegionParts parts) throws IOException;
    }

    /** Runs a hook if the region has indexes. */
    private void guarded(Hook hook) throws IOException {
        RegionParts parts = loader.parts();
        if (parts == null) {
            return;
        }
        try {
            hook.run(parts);
        } catch (RuntimeException | LinkageError e) {
            throw new DoNotRetryIOException(
                    "Diff-Index failed unexpectedly, an internal error; please report it: " + e, e);
        }
    }

    @Override
    public void prepare(Mutation mutation) throws IOException {
        guarded(parts -> {
            if (!parts.heldRows().areHeldFor(mutation)) { // else it is marked, and HBase has dated it since
                ServerTime.unmark(mutation);
            }
            parts.writePath().prepare(mutation);
        });
    }

    @Override
    public void computed(Mutation delta, List<Pair<Cell, Cell>> results) throws IOException {
        guarded(parts -> parts.writePath().computed(delta, results));
    }

    @Override
    public CheckAndMutateResult preCheckAndMutateAfterRowLock(
            ObserverContext<RegionCoprocessorEnvironment> context,
            CheckAndMutate checkAndMutate,
            CheckAndMutateResult result)
            throws IOException {
        guarded(parts -> {
            parts.heldRows().heldFor(checkAndMutate.getAction());
            ServerTime.markChecked(checkAndMutate.getAction());
        });
        return result;
    }

    @Override
    public void postStartRegionOperation(
            ObserverContext<RegionCoprocessorEnvironment> context, Region.Operation operation) throws IOException {
        if (operation == Region.Operation.BATCH_MUTATE) {
            guarded(parts -> parts.writePath().callBegins());
        } else if (operation == Region.Operation.ANY) {
            guarded(parts -> {
                parts.writePath().callBegins();
                parts.heldRows().operationBegins();
            });
        }
    }

    /** Ends a write, checkAndMutate or row processor that succeeded or failed, when HBase has released its rows. */
    @Override
    public void postCloseRegionOperation(
            ObserverContext<RegionCoprocessorEnvironment> context, Region.Operation operation) throws IOException {
        if (operation == Region.Operation.BATCH_MUTATE) {
            guarded(parts -> parts.writePath().callEnds());
        } else if (operation == Region.Operation.ANY) {
            guarded(parts -> {
                try {
                    parts.writePath().callEnds();
                } finally {
                    parts.heldRows().operationEnds();
                }
            });
        }
    }

    @Override
    public com.google.protobuf.Message preEndpointInvocation(
            ObserverContext<RegionCoprocessorEnvironment> context,
            com.google.protobuf.Service service,
            String method,
            com.google.protobuf.Message request)
            throws IOException {
        if (request instanceof MutateRowsRequest writes) {
            guarded(parts -> {
                parts.heldRows().operationBegins();
                if (writes.getConditionCount() > 0) {
                    parts.heldRows().heldByEndpoint();
                }
            });
        }
        return request;
    }

    @Override
    public void postEndpointInvocation(
            ObserverContext<RegionCoprocessorEnvironment> context,
            com.google.protobuf.Service service,
            String method,
            com.google.protobuf.Message request,
            com.google.protobuf.Message.Builder response)
            throws IOException {
        if (request instanceof MutateRowsRequest) {
            guarded(parts -> parts.heldRows().operationEnds());
        }
    }

    @Override
    public void preGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
            throws IOException {
        CallAttributes.requireKnown(get);
        ProtectedCells.leaveOutIfAsked(get);
        if (LeasedRead.isMarked(get)) {
            guarded(parts -> parts.writePath().beforeLookup(get.getRow()));
        }
    }

    @Override
    public void preScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Scan scan) throws IOException {
        CallAttributes.requireKnown(scan);
        ProtectedCells.leaveOutIfAsked(scan);
    }

    @Override
    public void postGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
            throws IOException {
        ProtectedColumns.tellIfAsked(get, result);
        if (LeasedRead.isMarked(get)) {
            guarded(parts -> parts.lease().require(context.getEnvironment()));
        }
    }

    @Override
    public void preBatchMutate(
            ObserverContext<RegionCoprocessorEnvironment> context, MiniBatchOperationInProgress<Mutation> batch)
            throws IOException {
        guarded(parts -> parts.writePath().beforeBatch(batch));
    }

    @Override
    public void preWALAppend(ObserverContext<RegionCoprocessorEnvironment> context, WALKey key, WALEdit edit)
            throws IOException {
        guarded(parts -> parts.writePath().beforeWalAppend(key, edit));
    }

    @Override
    public void postBatchMutate(
            ObserverContext<RegionCoprocessorEnvironment> context, MiniBatchOperationInProgress<Mutation> batch)
            throws IOException {
        guarded(parts -> parts.writePath().applied(batch));
    }

    @Override
    public void visible() throws IOException {
        guarded(parts -> parts.writePath().visible());
    }

    @Override
    public void postBatchMutateIndispensably(
            ObserverContext<RegionCoprocessorEnvironment> context,
            MiniBatchOperationInProgress<Mutation> batch,
            boolean success)
            throws IOException {
        guarded(parts -> parts.writePath().completed(batch, success));
    }

    @Override
    public void preWALRestore(
            ObserverContext<? extends RegionCoprocessorEnvironment> context, RegionInfo info, WALKey key, WALEdit edit)
            throws IOException {
        guarded(parts -> parts.replay().add(key, edit));
    }

    @Override
    public void preOpen(ObserverContext<RegionCoprocessorEnvironment> context) throws IOException {
        loader.requireReady();
        guarded(parts -> parts.indexes().opening());
    }

    @Override
    public void postOpen(ObserverContext<RegionCoprocessorEnvironment> context) {
        RegionParts parts = loader.parts();
        if (parts != null) {
            parts.indexes().opened();
        }
    }

    @Override
    public void preFlush(ObserverContext<RegionCoprocessorEnvironment> context, FlushLifeCycleTracker tracker)
            throws IOException {
        guarded(parts -> parts.indexes().flushBeginsOrEnds());
    }

    @Override
    public void preFlushScannerOpen(
            ObserverContext<RegionCoprocessorEnvironment> context,
            Store store,
            ScanOptions options,
            FlushLifeCycleTracker tracker)
            throws IOException {
        guarded(parts -> parts.indexes().keepPast(options));
    }

    /**
     * Makes a compaction minor if it must keep all cells, once HBase has selected the files. HBase retries a requested
     * major compaction later.
     */
    @Override
    public void postCompactSelection(
            ObserverContext<RegionCoprocessorEnvironment> context,
            Store store,
            List<? extends StoreFile> selected,
            CompactionLifeCycleTracker tracker,
            CompactionRequest request) {
        RegionParts parts = loader.parts();
        if (parts != null && parts.history().needsAllOf(store.getColumnFamilyDescriptor(), selected)) {
            ((CompactionRequestImpl) request).setIsMajor(false, false);
        }
    }

    @Override
    public void preCompactScannerOpen(
            ObserverContext<RegionCoprocessorEnvironment> context,
            Store store,
            ScanType scanType,
            ScanOptions options,
            CompactionLifeCycleTracker tracker,
            CompactionRequest request)
            throws IOException {
        guarded(parts -> {
            parts.history().keepVersions(options);
            parts.compactionBegins(store, request.getFiles());
        });
    }

    /**
     * Covers the flush, after the snapshots of all stores, in every flush, including those during region close and WAL
     * replay.
     */
    @Override
    public InternalScanner preFlush(
            ObserverContext<RegionCoprocessorEnvironment> context,
            Store store,
            InternalScanner scanner,
            FlushLifeCycleTracker tracker)
            throws IOException {
        guarded(parts -> parts.indexes().coverSnapshot());
        return scanner;
    }

    @Override
    public void postFlush(ObserverContext<RegionCoprocessorEnvironment> context, FlushLifeCycleTracker tracker)
            throws IOException {
        guarded(parts -> parts.indexes().flushBeginsOrEnds());
        guarded(parts -> parts.history().forget());
        guarded(RegionParts::forgetRows);
    }

    @Override
    public void postMemStoreCompaction(ObserverContext<RegionCoprocessorEnvironment> context, Store store)
            throws IOException {
        guarded(RegionParts::forgetRows);
    }

    @Override
    public void postCompact(
            ObserverContext<RegionCoprocessorEnvironment> context,
            Store store,
            StoreFile resultFile,
            CompactionLifeCycleTracker tracker,
            CompactionRequest request)
            throws IOException {
        guarded(parts -> parts.history().forget());
    }

    @Override
    public void preClose(ObserverContext<RegionCoprocessorEnvironment> context, boolean abortRequested)
            throws IOException {
        guarded(parts -> {
            if (abortRequested) {
                parts.indexes().abandonIfServerAborts();
            } else {
                parts.indexes().awaitBeforeClose();
            }
        });
    }

    @Override
    public void preBulkLoadHFile(
            ObserverContext<RegionCoprocessorEnvironment> context, List<Pair<byte[], String>> familyPaths)
            throws IOException {
        if (loader.parts() != null) {
            throw new DoNotRetryIOException("Bulk load refused, nothing was loaded: its rows would not be indexed. Drop"
                    + " the indexes, load, and create them again, or write the rows with puts [table="
                    + context.getEnvironment().getRegionInfo().getTable() + "]");
        }
    }
}
