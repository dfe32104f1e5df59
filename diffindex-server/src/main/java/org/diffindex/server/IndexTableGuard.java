package org.diffindex.server;

import com.google.protobuf.Service;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.diffindex.model.CallAttributes;
import org.diffindex.model.IndexAddress;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexFormat;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.IndexReplacedException;
import org.diffindex.model.IndexSchemeChangedException;
import org.diffindex.model.IndexState;
import org.diffindex.model.ReadPoint;
import org.diffindex.model.Rebuild;
import org.diffindex.model.SchemeState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The coprocessor of an index table.
 *
 * <ul>
 *   <li>Refuses writes that do not carry the id of the index, such as those of clients, and those of a dropped index of
 *       the same name, which a region server may still be trying to send. Refuses bulk loads.
 *   <li>Refuses reads that carry the id of another index, and all reads that carry an id unless the index is {@link
 *       IndexState#ACTIVE}; if it is dropped, before any write stops maintaining it. Refuses every read on a server that may have lost the region
 *       without noticing ({@link SessionLease}).
 *   <li>Refuses scans of readers that read by another scheme than the index demands, and writes of the time before the
 *       scheme was changed, once the change says so ({@link SchemeState}).
 *   <li>Refuses deletes that were sent to another region.
 *   <li>Refuses reads by the index and writes if the table, or the call, asks for something that this build does not
 *       know ({@link IndexFormat}, {@link CallAttributes}).
 *   <li>Hides what a build remembers from those who do not own the table ({@link BuildReaders}).
 *   <li>Tells scans that ask for it the read point at which they read, answers gets as of such a read point, and
 *       restricts scans to what was put after one ({@link ReadPoint}). A scanner reads at the moment when it is opened,
 *       also in place of one that was lost.
 *   <li>Answers scans that ask for an aggregate of the entries with it ({@link AggregateScanner}), on the same conditions.
 * </ul>
 *
 * <p>Thread-safe: HBase calls hooks concurrently.
 */
public final class IndexTableGuard implements RegionCoprocessor, RegionObserver {
    private static final Logger LOG = LoggerFactory.getLogger(IndexTableGuard.class);

    /** The read point of a scan that names none. */
    private static final long NO_READ_POINT = -1;

    /** The id of the index; empty for a table that names none. */
    private volatile String index = "";

    /** The state of the index; if it changes, the region is opened again. */
    private volatile IndexState state = IndexState.ACTIVE;

    /** Why the index is BROKEN; empty if it is not. */
    private volatile String problem = "";

    /** Whether the index is to be emptied before it is built. */
    private volatile boolean isRebuilt;

    /** The schemes of the index, by its table's descriptor; empty if it does not restrict readers and writers. */
    private volatile Optional<SchemeState> schemes = Optional.empty();

    /** The reason why this build cannot serve the table, of which it does not know something; empty if it can. */
    private volatile Optional<String> unknown = Optional.empty();

    private volatile BuildReaders buildReaders;
    private volatile SessionLease lease;
    private volatile Inspection inspection;
    private volatile ToldReadPoints told;

    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void start(CoprocessorEnvironment env) {
        RegionCoprocessorEnvironment region = (RegionCoprocessorEnvironment) env;
        TableDescriptor table = region.getRegion().getTableDescriptor();
        index = IndexDefinitions.indexIdOf(table);
        state = IndexDefinitions.stateOf(table);
        problem = IndexDefinitions.problemOf(table).orElse("");
        isRebuilt = Rebuild.isDue(table);
        unknown = IndexFormat.refusal(table);
        try {
            schemes = IndexDefinitions.schemeStateOf(table);
        } catch (IllegalArgumentException e) { // HBase would end the region server
            LOG.error("Index table {} has a descriptor that this build cannot read", table.getTableName(), e);
            unknown = Optional.of(e.getMessage());
        }
        buildReaders = new BuildReaders(region);
        inspection = new Inspection(region.getServerName(), region.getConfiguration(), List.of());
        IndexTableGuard before = ReplacedCoprocessor.of(region.getRegion(), IndexTableGuard.class);
        if (before == null) {
            lease = PerServer.acquire(region, SessionLease.class, () -> SessionLease.of(region));
            told = new ToldReadPoints(region.getRegion(), System::nanoTime);
        } else {
            lease = before.lease;
            told = before.told;
        }
    }

    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void stop(CoprocessorEnvironment env) {
        PerServer.release((RegionCoprocessorEnvironment) env, SessionLease.class);
    }

    @Override
    public Optional<RegionObserver> getRegionObserver() {
        return Optional.of(this);
    }

    @Override
    public Iterable<Service> getServices() {
        return Set.of(new InspectionEndpoint(() -> inspection));
    }

    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
            throws IOException {
        requireIndexWriter(context, put);
    }

    @Override
    public void preDelete(ObserverContext<RegionCoprocessorEnvironment> context, Delete delete, WALEdit edit)
            throws IOException {
        requireIndexWriter(context, delete);
    }

    /**
     * Refuses late writes, each alone: an exception would fail the other writes of the call, which may be of other rows.
     *
     * <p>Refuses deletes that were sent to another region, from which this one has resulted by a split or merge meanwhile.
     * The put of the replacing entry was sent to that region in the same call, and may not have arrived in the region
     * that contains its key now. Deletes that name no region are accepted.
     */
    @Override
    public void preBatchMutate(
            ObserverContext<RegionCoprocessorEnvironment> context, MiniBatchOperationInProgress<Mutation> batch) {
        for (int i = 0; i < batch.size(); i++) {
            Optional<String> refusal = refusal(context, batch.getOperation(i));
            if (refusal.isPresent()) {
                batch.setOperationStatus(
                        i, new OperationStatus(OperationStatusCode.SANITY_CHECK_FAILURE, refusal.get()));
            }
        }
    }

    /** Returns why a write of the index is too late; empty if it is not. */
    private Optional<String> refusal(ObserverContext<RegionCoprocessorEnvironment> context, Mutation mutation) {
        TableName table = context.getEnvironment().getRegionInfo().getTable();
        if (!IndexAddress.indexOf(mutation).equals(Optional.of(index))) {
            return Optional.of("Write refused, nothing was written: it is for an index that was dropped; " + table
                    + " is the table of a later one");
        }
        Optional<String> notKnown =
                unknown.map(why -> cannotServe(table, why)).or(() -> CallAttributes.refusal(mutation));
        if (notKnown.isPresent()) {
            return Optional.of("Index update refused, nothing was written: " + notKnown.get()
                    + "; the region of the base row tries again");
        }
        String change = IndexAddress.changeOf(mutation);
        if (schemes.filter(known -> !known.accepts(change)).isPresent()) {
            return Optional.of(
                    "Index update refused, nothing was written: it was sent before the scheme of the index of"
                            + " table " + table
                            + " was changed; the region of the base row sends what the index lacks");
        }
        return mutation instanceof Delete && !isMeantHere(context, mutation)
                ? Optional.of(IndexAddress.NOT_IN_ITS_REGION)
                : Optional.empty();
    }

    private static boolean isMeantHere(ObserverContext<RegionCoprocessorEnvironment> context, Mutation mutation) {
        return IndexAddress.regionOf(mutation)
                .map(context.getEnvironment().getRegionInfo().getEncodedName()::equals)
                .orElse(true);
    }

    /** Refuses to tell by a condition what is hidden from reads. */
    @Override
    public CheckAndMutateResult preCheckAndMutate(
            ObserverContext<RegionCoprocessorEnvironment> context, CheckAndMutate check, CheckAndMutateResult result)
            throws IOException {
        if (!buildReaders.mayReadAll()) {
            throw refused(context);
        }
        return result;
    }

    @Override
    public Result preIncrement(ObserverContext<RegionCoprocessorEnvironment> context, Increment increment, WALEdit edit)
            throws IOException {
        requireIndexWriter(context, increment);
        return null;
    }

    @Override
    public Result preAppend(ObserverContext<RegionCoprocessorEnvironment> context, Append append, WALEdit edit)
            throws IOException {
        requireIndexWriter(context, append);
        return null;
    }

    @Override
    public void preBulkLoadHFile(
            ObserverContext<RegionCoprocessorEnvironment> context, List<Pair<byte[], String>> familyPaths)
            throws IOException {
        throw refused(context);
    }

    @Override
    public void preFlush(ObserverContext<RegionCoprocessorEnvironment> context, FlushLifeCycleTracker tracker)
            throws IOException {
        told.letGo();
    }

    @Override
    public void preClose(ObserverContext<RegionCoprocessorEnvironment> context, boolean abortRequested)
            throws IOException {
        told.close();
    }

    /**
     * Answers a get that names a read point as of that point. HBase then calls no further hook for the get, so the
     * lease is required here.
     */
    @Override
    public void preGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
            throws IOException {
        requireReadable(context, get);
        buildReaders.restrict(get);
        OptionalLong point = named(() -> ReadPoint.of(get));
        if (point.isPresent()) {
            Scan scan = new Scan(get);
            PackagePrivateFieldAccessor.setMvccReadPoint(scan, point.getAsLong());
            try (RegionScanner scanner = context.getEnvironment().getRegion().getScanner(scan)) {
                List<Cell> cells = new ArrayList<>();
                scanner.next(cells);
                cells.forEach(cell -> result.add(KeyValueUtil.copyToNewKeyValue(cell)));
            }
            lease.require(context.getEnvironment());
            context.bypass();
        }
    }

    @Override
    public void postGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
            throws IOException {
        lease.require(context.getEnvironment());
    }

    /**
     * Makes the scanner read at the region's present read point. HBase's client, which opens a lost scanner again, sends
     * the read point of that one, also to a region into which it was merged or split: entries of the other region of a
     * merge would be hidden, because each region numbers its writes itself, and entries that were put again since, of
     * which a flush or compaction keeps only the new cell.
     *
     * <p>Requires the lease already when a scanner is opened: only then HBase's client looks the region up again. If
     * reading from an open scanner fails, the client opens a new scanner at the location it knows.
     */
    @Override
    public void preScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Scan scan) throws IOException {
        requireReadable(context, scan);
        requireScheme(context, scan);
        AggregateScanner.requireKnown(scan);
        buildReaders.restrict(scan);
        lease.require(context.getEnvironment());
        PackagePrivateFieldAccessor.setMvccReadPoint(scan, NO_READ_POINT);
        OptionalLong point = named(() -> ReadPoint.since(scan));
        if (point.isPresent()) {
            Filter since = new PutSince(context.getEnvironment().getRegion(), point.getAsLong());
            // A filter set by HBase's access control remains in force.
            scan.setFilter(scan.getFilter() == null ? since : new FilterList(scan.getFilter(), since));
        }
    }

    @Override
    public RegionScanner postScannerOpen(
            ObserverContext<RegionCoprocessorEnvironment> context, Scan scan, RegionScanner scanner)
            throws IOException {
        RegionScanner answering = AggregateScanner.answering(scan, scanner);
        told.opened(scan, answering);
        return answering;
    }

    @Override
    public boolean postScannerNext(
            ObserverContext<RegionCoprocessorEnvironment> context,
            InternalScanner scanner,
            List<Result> results,
            int limit,
            boolean hasNext)
            throws IOException {
        lease.require(context.getEnvironment());
        told.tell(scanner, results);
        return hasNext;
    }

    /**
     * Returns the read point that an attribute of a read names.
     *
     * @throws DoNotRetryIOException if the attribute is none of Diff-Index's; HBase would end the region server after a
     *     RuntimeException
     */
    private static OptionalLong named(Supplier<OptionalLong> attribute) throws DoNotRetryIOException {
        try {
            return attribute.get();
        } catch (RuntimeException e) {
            throw new DoNotRetryIOException(
                    "Nothing was read: the read names a read point that cannot be decoded; read an index table without"
                            + " attributes of Diff-Index, or by its client: " + e,
                    e);
        }
    }

    private static String cannotServe(TableName table, String why) {
        return "this region server cannot serve " + table + ", the table of an index: " + why
                + "; upgrade Diff-Index on this server, or correct the table's descriptor";
    }

    private void requireReadable(ObserverContext<RegionCoprocessorEnvironment> context, Query read)
            throws DoNotRetryIOException {
        CallAttributes.requireKnown(read);
        byte[] asked = read.getAttribute(IndexAddress.READER_ATTRIBUTE);
        if (asked == null) {
            return;
        }
        TableName table = context.getEnvironment().getRegionInfo().getTable();
        if (unknown.isPresent()) {
            throw new IndexNotReadableException("Nothing was read: " + cannotServe(table, unknown.get()));
        }
        if (isRebuilt) { // it gets another id, which readers are to learn when it is ACTIVE
            throw new IndexNotReadableException("Nothing was read: the index of table " + table
                    + " is rebuilt, because its base table was truncated or restored; read it when it is ACTIVE");
        }
        if (asked.length > 0 && !Bytes.toString(asked).equals(index)) {
            throw new IndexReplacedException(
                    "Nothing was read: the index was dropped; " + table + " is the table of a later one");
        }
        if (state == IndexState.DROPPING) {
            throw new IndexReplacedException("Nothing was read: the index of table " + table
                    + " is being dropped, or its drop was interrupted; if it is still listed then, drop it again");
        }
        if (!state.isReadable()) {
            throw new IndexNotReadableException("Nothing was read: the index of table " + table + " is " + state
                    + switch (state) {
                        case BROKEN ->
                            ": " + problem + ". Remove the cause, then build it again (build resume, or rebuild-index)";
                        case DISABLED -> "; enable it, and read it when it is ACTIVE";
                        default -> " and may lack older rows; read it when it is ACTIVE";
                    });
        }
    }

    /** Requires that a reader which names its scheme reads as the index demands; one that names none checks its entries. */
    private void requireScheme(ObserverContext<RegionCoprocessorEnvironment> context, Scan scan)
            throws IndexSchemeChangedException {
        Optional<String> scheme = IndexAddress.schemeOf(scan);
        if (schemes.isPresent()
                && scheme.isPresent()
                && !scheme.get().equals(schemes.get().readAs().schemeName())) {
            throw new IndexSchemeChangedException(
                    "Nothing was read: the scheme of the index of table "
                            + context.getEnvironment().getRegionInfo().getTable() + " was changed, or is being changed,"
                            + " and the reader reads it as " + scheme.get(),
                    schemes.get().readAs());
        }
    }

    private static void requireIndexWriter(ObserverContext<RegionCoprocessorEnvironment> context, Mutation mutation)
            throws DoNotRetryIOException {
        if (IndexAddress.indexOf(mutation).isEmpty()) {
            throw refused(context);
        }
    }

    private static DoNotRetryIOException refused(ObserverContext<RegionCoprocessorEnvironment> context) {
        return new DoNotRetryIOException("Write refused, nothing was written: "
                + context.getEnvironment().getRegionInfo().getTable()
                + " is the table of an index and is written by the index alone; write to the base table");
    }
}
