package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionReplicaUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
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
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.LeasedRead;
import org.diffindex.server.spill.SpillFiles;
import org.diffindex.server.spill.StampFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The coprocessor of a base table. Only hands HBase's hooks on to {@link RegionIndexes}; an error that is not an
 * IOException becomes one, since anything else would abort the region server.
 *
 * <p>It is the SyncFullObserver, SyncInsertObserver and AsyncObserver of the paper (section 7) in one, since each index
 * of a table has its own scheme and all of them share one read of the row.
 */
public final class IndexObserver implements RegionCoprocessor, RegionObserver, EndpointObserver {
    private static final Logger LOG = LoggerFactory.getLogger(IndexObserver.class);

    /** What the region has to do for its indexes; null on a replica, or while the table has no index. */
    private volatile RegionIndexes indexes;

    /** What stands in for the indexes if they cannot be loaded; else null. */
    private volatile UnloadedIndexes unloaded;

    /** Why the region cannot be opened on this server now; null if it can. */
    private volatile IOException unready;

    private volatile Inspection inspection;
    private volatile StoredDefinitions definitions;
    private volatile CallPermissions permissions;

    @Override
    public Optional<RegionObserver> getRegionObserver() {
        return Optional.of(unloaded == null ? this : unloaded);
    }

    @Override
    public Optional<EndpointObserver> getEndpointObserver() {
        return Optional.of(this);
    }

    @Override
    public Iterable<com.google.protobuf.Service> getServices() {
        return List.of(
                new IndexEndpoint(() -> indexes, () -> unloaded, () -> definitions, () -> permissions),
                new InspectionEndpoint(() -> inspection));
    }

    /** Never throws: HBase would abort the region server, and the next server that the region comes to. */
    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void start(CoprocessorEnvironment env) {
        RegionCoprocessorEnvironment region = (RegionCoprocessorEnvironment) env;
        Map<String, IndexDefinition> definitions = Map.of();
        try {
            definitions = IndexDefinitions.of(region.getRegion().getTableDescriptor());
        } catch (RuntimeException | LinkageError e) {
            unloaded = new UnloadedIndexes(region, e);
            LOG.error("{}; the region refuses writes", unloaded.problem(), e);
        }
        boolean keeps = !definitions.isEmpty() && RegionReplicaUtil.isDefaultReplica(region.getRegionInfo());
        permissions = CallPermissions.of(region);
        this.definitions = new StoredDefinitions(
                region.getRegion().getTableDescriptor(), new StoredTables(region.getConfiguration())::find);
        inspection = new Inspection(
                region.getServerName(),
                region.getConfiguration(),
                keeps ? definitions.keySet() : Set.of(),
                Optional.ofNullable(unloaded).map(UnloadedIndexes::problem));
        if (keeps) {
            try {
                keep(region, definitions);
            } catch (IOException | RuntimeException | LinkageError e) {
                unready = new IOException(
                        "Diff-Index cannot keep the indexes of this region on this server now: " + e, e);
            }
        }
    }

    private void keep(RegionCoprocessorEnvironment region, Map<String, IndexDefinition> definitions)
            throws IOException {
        SpillFiles files = SpillFiles.of(region.getConfiguration(), region.getRegionInfo(), definitions.values());
        StampFiles stamps = StampFiles.of(region.getConfiguration(), region.getRegionInfo(), definitions.values());
        ServerIndexing server =
                PerServer.acquire(region, ServerIndexing.class, () -> new ServerIndexing(region, new Platform()));
        try {
            indexes = new RegionIndexes(region.getRegion(), definitions.values(), server, files, stamps);
        } finally {
            if (indexes == null) {
                PerServer.release(region, ServerIndexing.class);
            }
        }
    }

    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void stop(CoprocessorEnvironment env) {
        if (indexes != null) {
            indexes.closed();
            PerServer.release((RegionCoprocessorEnvironment) env, ServerIndexing.class);
        }
    }

    /** A step of one of the hooks. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    private void guarded(Step step) throws IOException {
        if (indexes == null) {
            return;
        }
        try {
            step.run();
        } catch (RuntimeException | LinkageError e) {
            throw new DoNotRetryIOException("Diff-Index failed unexpectedly, which is a fault in it: " + e, e);
        }
    }

    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
            throws IOException {
        guarded(() -> indexes.writePath().prepare(put));
    }

    @Override
    public void preDelete(ObserverContext<RegionCoprocessorEnvironment> context, Delete delete, WALEdit edit)
            throws IOException {
        guarded(() -> indexes.writePath().prepare(delete));
    }

    @Override
    public Result preIncrement(ObserverContext<RegionCoprocessorEnvironment> context, Increment increment, WALEdit edit)
            throws IOException {
        guarded(() -> indexes.writePath().prepare(increment));
        return null;
    }

    @Override
    public Result preAppend(ObserverContext<RegionCoprocessorEnvironment> context, Append append, WALEdit edit)
            throws IOException {
        guarded(() -> indexes.writePath().prepare(append));
        return null;
    }

    @Override
    public CheckAndMutateResult preCheckAndMutateAfterRowLock(
            ObserverContext<RegionCoprocessorEnvironment> context,
            CheckAndMutate checkAndMutate,
            CheckAndMutateResult result)
            throws IOException {
        guarded(() -> {
            indexes.writePath().heldRows().heldFor(checkAndMutate.getAction());
            if (checkAndMutate.getAction() instanceof RowMutations mutations) {
                mutations.getMutations().forEach(ServerTime::markChecked);
            } else if (checkAndMutate.getAction() instanceof Mutation mutation) {
                ServerTime.markChecked(mutation);
            }
        });
        return result;
    }

    @Override
    public void postStartRegionOperation(
            ObserverContext<RegionCoprocessorEnvironment> context, Region.Operation operation) throws IOException {
        if (operation == Region.Operation.BATCH_MUTATE) {
            guarded(() -> indexes.writePath().callBegins());
        }
    }

    /** After a write, or a checkAndMutate, whatever came of it, when its rows are free again. */
    @Override
    public void postCloseRegionOperation(
            ObserverContext<RegionCoprocessorEnvironment> context, Region.Operation operation) throws IOException {
        if (operation == Region.Operation.BATCH_MUTATE) {
            guarded(() -> indexes.writePath().callEnds());
        } else if (operation == Region.Operation.ANY) {
            guarded(() -> indexes.writePath().heldRows().released());
        }
    }

    @Override
    public com.google.protobuf.Message preEndpointInvocation(
            ObserverContext<RegionCoprocessorEnvironment> context,
            com.google.protobuf.Service service,
            String method,
            com.google.protobuf.Message request)
            throws IOException {
        if (request instanceof MutateRowsRequest writes && writes.getConditionCount() > 0) {
            guarded(() -> indexes.writePath().heldRows().heldByEndpoint());
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
            guarded(() -> indexes.writePath().heldRows().released());
        }
    }

    @Override
    public void preGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
            throws IOException {
        if (LeasedRead.isMarked(get)) {
            guarded(() -> indexes.writePath().awaitWritesOf(get.getRow()));
        }
    }

    @Override
    public void postGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
            throws IOException {
        if (LeasedRead.isMarked(get)) {
            guarded(() -> indexes.server().lease().require(context.getEnvironment()));
        }
    }

    @Override
    public void preBatchMutate(
            ObserverContext<RegionCoprocessorEnvironment> context, MiniBatchOperationInProgress<Mutation> batch)
            throws IOException {
        guarded(() -> indexes.writePath().beforeBatch(batch));
    }

    @Override
    public void preWALAppend(ObserverContext<RegionCoprocessorEnvironment> context, WALKey key, WALEdit edit)
            throws IOException {
        guarded(() -> indexes.writePath().beforeWalAppend(key, edit));
    }

    @Override
    public void postBatchMutate(
            ObserverContext<RegionCoprocessorEnvironment> context, MiniBatchOperationInProgress<Mutation> batch)
            throws IOException {
        guarded(() -> indexes.writePath().applied());
    }

    @Override
    public void postBatchMutateIndispensably(
            ObserverContext<RegionCoprocessorEnvironment> context,
            MiniBatchOperationInProgress<Mutation> batch,
            boolean success)
            throws IOException {
        guarded(() -> indexes.writePath().completed(batch, success));
    }

    @Override
    public void preWALRestore(
            ObserverContext<? extends RegionCoprocessorEnvironment> context, RegionInfo info, WALKey key, WALEdit edit)
            throws IOException {
        guarded(() -> indexes.replayed(key, edit));
    }

    @Override
    public void preOpen(ObserverContext<RegionCoprocessorEnvironment> context) throws IOException {
        if (unready != null) {
            throw unready;
        }
        guarded(() -> indexes.opening());
    }

    @Override
    public void postOpen(ObserverContext<RegionCoprocessorEnvironment> context) {
        if (indexes != null) {
            indexes.opened();
        }
    }

    @Override
    public void preFlush(ObserverContext<RegionCoprocessorEnvironment> context, FlushLifeCycleTracker tracker)
            throws IOException {
        guarded(() -> indexes.flushBeginsOrEnds());
    }

    @Override
    public void preFlushScannerOpen(
            ObserverContext<RegionCoprocessorEnvironment> context,
            Store store,
            ScanOptions options,
            FlushLifeCycleTracker tracker)
            throws IOException {
        guarded(() -> indexes.keepHistory());
        guarded(() -> keepVersions(options));
    }

    /** HBase has selected the files. A major compaction that it was asked for, and that this one is not, it tries again later. */
    @Override
    public void postCompactSelection(
            ObserverContext<RegionCoprocessorEnvironment> context,
            Store store,
            List<? extends StoreFile> selected,
            CompactionLifeCycleTracker tracker,
            CompactionRequest request) {
        if (indexes != null && indexes.history().needsAllOf(store.getColumnFamilyDescriptor(), selected)) {
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
        guarded(() -> keepVersions(options));
    }

    private void keepVersions(ScanOptions options) {
        if (indexes.history().needsAllVersions()) {
            options.readAllVersions();
        }
    }

    /** After the snapshot, on every flush: also those at a region's close and in a replay. */
    @Override
    public InternalScanner preFlush(
            ObserverContext<RegionCoprocessorEnvironment> context,
            Store store,
            InternalScanner scanner,
            FlushLifeCycleTracker tracker)
            throws IOException {
        guarded(() -> indexes.coverSnapshot());
        return scanner;
    }

    @Override
    public void postFlush(ObserverContext<RegionCoprocessorEnvironment> context, FlushLifeCycleTracker tracker)
            throws IOException {
        guarded(() -> indexes.flushBeginsOrEnds());
        guarded(() -> indexes.forgetHistory());
    }

    @Override
    public void postCompact(
            ObserverContext<RegionCoprocessorEnvironment> context,
            Store store,
            StoreFile resultFile,
            CompactionLifeCycleTracker tracker,
            CompactionRequest request)
            throws IOException {
        guarded(() -> indexes.forgetHistory());
    }

    @Override
    public void preClose(ObserverContext<RegionCoprocessorEnvironment> context, boolean abortRequested)
            throws IOException {
        guarded(() -> {
            if (abortRequested) {
                indexes.abandonIfServerAborts();
            } else {
                indexes.awaitBeforeClose();
            }
        });
    }

    @Override
    public void preBulkLoadHFile(
            ObserverContext<RegionCoprocessorEnvironment> context, List<Pair<byte[], String>> familyPaths)
            throws IOException {
        if (indexes != null) {
            throw new DoNotRetryIOException("Bulk load refused, nothing was loaded: its rows would not be indexed. Drop"
                    + " the indexes, load, and create them again, or write the rows with puts [table="
                    + context.getEnvironment().getRegionInfo().getTable() + "]");
        }
    }
}
