package org.diffindex.server;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.DefaultStoreEngine;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.regionserver.StripeStoreEngine;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.model.CallAttributes;
import org.diffindex.model.IndexFormat;
import org.diffindex.model.LeasedRead;
import org.diffindex.model.ProtectedCells;
import org.diffindex.protocol.DiffIndexProtos.StatusResponse;

/**
 * Replaces a region's indexes that this server cannot load because a definition cannot be parsed, is of a later build,
 * or names a class that cannot be loaded. The region opens and answers plain reads. It refuses all writes and bulk
 * loads, which no index would receive, and the row lookups of reads by index. It does not open if it has edits to
 * replay from the WAL: the indexes may lack them, and only a server that knows the indexes can keep track of that. For
 * the same reason it is not compacted: the updates on disk that an index lacks may need what a compaction drops.
 *
 * <p>Refusals of writes and reads are final for HBase's client ({@link DoNotRetryIOException}), since a missing class
 * does not appear while a write waits. Thread-safe; immutable.
 */
final class UnloadedIndexes implements RegionObserver {
    private final String region;
    private final String server;
    private final ByteString regionEnd;
    private final String problem;
    private final String remedy;

    /** Creates the replacement for a region whose indexes failed to load for the given reason. */
    UnloadedIndexes(RegionCoprocessorEnvironment env, Throwable failure) {
        this.region = env.getRegionInfo().getRegionNameAsString();
        this.regionEnd = ByteString.copyFrom(env.getRegionInfo().getEndKey());
        this.server = env.getServerName().toString();
        this.problem = "The indexes of " + env.getRegionInfo().getTable() + " cannot be loaded on " + server + ": "
                + (failure.getMessage() == null ? failure : failure.getMessage());
        this.remedy = IndexFormat.isOfLaterBuild(env.getRegion().getTableDescriptor())
                ? "Upgrade Diff-Index on that server and restart it"
                : "Put what is missing on the class path of that server and restart it, or drop the index";
    }

    /** Returns why the indexes cannot be loaded, and where; without a full stop. */
    String problem() {
        return problem;
    }

    /** Returns a status in which every count is 0 and the problem is the reason. */
    StatusResponse status() {
        return StatusResponse.newBuilder()
                .setRegion(region)
                .setServer(server)
                .setQueued(0)
                .setQueuedBytes(0)
                .setOldestAgeMs(0)
                .setDelivered(0)
                .setRetries(0)
                .setBaseReads(0)
                .setIndexPuts(0)
                .setIndexDeletes(0)
                .setRegionEnd(regionEnd)
                .setProblem(problem)
                .build();
    }

    /**
     * Returns the error for a request that needs the indexes.
     *
     * @param what what was refused, the beginning of the message; without a full stop
     */
    DoNotRetryIOException refusal(String what) {
        return new DoNotRetryIOException(what + ". " + problem + ". " + remedy + " [region=" + region + "]");
    }

    private DoNotRetryIOException refusedWrite() {
        return refusal("Write refused, nothing was written");
    }

    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
            throws IOException {
        throw refusedWrite();
    }

    @Override
    public void preDelete(ObserverContext<RegionCoprocessorEnvironment> context, Delete delete, WALEdit edit)
            throws IOException {
        throw refusedWrite();
    }

    @Override
    public Result preIncrement(ObserverContext<RegionCoprocessorEnvironment> context, Increment increment, WALEdit edit)
            throws IOException {
        throw refusedWrite();
    }

    @Override
    public Result preAppend(ObserverContext<RegionCoprocessorEnvironment> context, Append append, WALEdit edit)
            throws IOException {
        throw refusedWrite();
    }

    @Override
    public void preBatchMutate(
            ObserverContext<RegionCoprocessorEnvironment> context, MiniBatchOperationInProgress<Mutation> batch)
            throws IOException {
        throw refusedWrite();
    }

    /** Refuses writes that bypass the other hooks, such as those of a RowProcessor. */
    @Override
    public void preWALAppend(ObserverContext<RegionCoprocessorEnvironment> context, WALKey key, WALEdit edit)
            throws IOException {
        throw refusedWrite();
    }

    @Override
    public void preBulkLoadHFile(
            ObserverContext<RegionCoprocessorEnvironment> context, List<Pair<byte[], String>> familyPaths)
            throws IOException {
        throw refusal("Bulk load refused, nothing was loaded");
    }

    /**
     * Lets nothing be compacted. A spilled change names its row and its time only, and its index entries follow from the
     * versions and tombstones of then; which of them are needed only a server with the indexes can tell. As nothing is
     * written here, the number of store files does not grow.
     *
     * @throws DoNotRetryIOException if the store cannot be given an empty selection
     */
    @Override
    public void preCompactSelection(
            ObserverContext<RegionCoprocessorEnvironment> context,
            Store store,
            List<? extends StoreFile> candidates,
            CompactionLifeCycleTracker tracker)
            throws IOException {
        if (!acceptsSelection(store)) {
            throw refusal("Compaction refused, nothing was compacted");
        }
        candidates.clear();
        context.bypass();
    }

    /**
     * Returns whether a store compacts the files that a coprocessor selects. The one of date-tiered compactions throws
     * an unchecked exception instead, which ends the thread that compacts.
     */
    private static boolean acceptsSelection(Store store) {
        StoreEngine<?, ?, ?, ?> engine = ((HStore) store).getStoreEngine();
        return engine instanceof DefaultStoreEngine || engine instanceof StripeStoreEngine;
    }

    @Override
    public void preGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
            throws IOException {
        CallAttributes.requireKnown(get);
        ProtectedCells.leaveOutIfAsked(get);
        if (LeasedRead.isMarked(get)) {
            throw refusal("Read by index refused");
        }
    }

    @Override
    public void preScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Scan scan) throws IOException {
        CallAttributes.requireKnown(scan);
        ProtectedCells.leaveOutIfAsked(scan);
    }

    /**
     * Fails the opening of the region here if the edit contains a cell of a family; the master tries again, on another
     * server if there is one.
     */
    @Override
    public void preWALRestore(
            ObserverContext<? extends RegionCoprocessorEnvironment> context, RegionInfo info, WALKey key, WALEdit edit)
            throws IOException {
        Optional<Cell> written = edit.getCells().stream()
                .filter(cell -> !WALEdit.isMetaEditFamily(cell))
                .findFirst();
        if (written.isPresent()) {
            throw new IOException(
                    "The region is not opened here, since it has writes to recover of which its indexes may"
                            + " not know. " + problem + " [region=" + region + "]");
        }
    }
}
