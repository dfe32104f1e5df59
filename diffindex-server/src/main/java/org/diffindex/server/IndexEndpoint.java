package org.diffindex.server;

import com.google.protobuf.ByteString;
import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcUtils;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.diffindex.protocol.DiffIndexProtos.DefinitionsRequest;
import org.diffindex.protocol.DiffIndexProtos.DefinitionsResponse;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.protocol.DiffIndexProtos.DrainResponse;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.protocol.DiffIndexProtos.IndexLag;
import org.diffindex.protocol.DiffIndexProtos.RepairRequest;
import org.diffindex.protocol.DiffIndexProtos.RepairResponse;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleRequest;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleResponse;
import org.diffindex.protocol.DiffIndexProtos.StatusRequest;
import org.diffindex.protocol.DiffIndexProtos.StatusResponse;
import org.diffindex.protocol.DiffIndexProtos.Undelivered;
import org.diffindex.server.maintain.IndexMaintainer;
import org.diffindex.server.queue.Backlog;
import org.diffindex.server.queue.FlushBarrier;
import org.diffindex.server.queue.IndexBacklog;

/**
 * The endpoint of one region of a base table: fills an index, drains the AUQ, reports its state, repairs entries, takes reports
 * of stale ones, and tells the definitions of the table's indexes.
 */
final class IndexEndpoint extends DiffIndexService {
    /** The most stale entries that one call reports. */
    private static final int MOST_REPORTED = 10_000;

    /** A call keeps a handler of the server for as long. */
    static final long LONGEST_DRAIN_MS = 60_000;

    static final int MAX_REPAIRS = 10_000;

    private final Supplier<RegionIndexes> region;
    private final Supplier<UnloadedIndexes> unloaded;
    private final Supplier<StoredDefinitions> definitions;
    private final Supplier<CallPermissions> permissions;

    /**
     * The endpoint of a region.
     *
     * @param region the region's indexes, which are there only once it is being opened; null if it has none
     * @param unloaded what stands in for them; null if they are loaded
     * @param definitions those of the region's table
     * @param permissions those on the region's table
     */
    IndexEndpoint(
            Supplier<RegionIndexes> region,
            Supplier<UnloadedIndexes> unloaded,
            Supplier<StoredDefinitions> definitions,
            Supplier<CallPermissions> permissions) {
        this.region = region;
        this.unloaded = unloaded;
        this.definitions = definitions;
        this.permissions = permissions;
    }

    /** An answer that may fail. */
    @FunctionalInterface
    private interface Answer<T> {
        T get() throws IOException;
    }

    private RegionIndexes indexes() throws IOException {
        RegionIndexes indexes = region.get();
        if (unloaded.get() != null) {
            throw unloaded.get().refusal("Nothing was done");
        }
        if (indexes == null) {
            StoredDefinitions stored = definitions.get();
            throw stored != null && stored.hasFirstIndex()
                    ? new NotServingRegionException(
                            "The region was opened before its table had an index; nothing was done,"
                                    + " try again when it is opened again")
                    : new DoNotRetryIOException("This region's table has no index, or the region is a replica");
        }
        return indexes;
    }

    /** Answers a caller who has one of the permissions. */
    private <T> void answer(
            RpcController controller, RpcCallback<T> done, String request, Action[] anyOf, Answer<T> answer) {
        T response = null;
        try {
            permissions.get().require(request, anyOf);
            response = answer.get();
        } catch (IOException e) {
            CoprocessorRpcUtils.setControllerException(controller, e);
        } catch (RuntimeException e) {
            CoprocessorRpcUtils.setControllerException(
                    controller, new DoNotRetryIOException("Diff-Index failed unexpectedly: " + e, e));
        }
        done.run(response);
    }

    @Override
    public void fill(RpcController controller, FillRequest request, RpcCallback<FillResponse> done) {
        answer(controller, done, "fill", CallPermissions.OWNERS, () -> new IndexFill(indexes(), request).page());
    }

    @Override
    public void drain(RpcController controller, DrainRequest request, RpcCallback<DrainResponse> done) {
        answer(controller, done, "drain", CallPermissions.WRITERS, () -> drained(indexes(), request));
    }

    private static DrainResponse drained(RegionIndexes indexes, DrainRequest request) throws IOException {
        Set<String> names = Set.copyOf(request.getIndexesList());
        Set<String> known = indexes.maintainers().all().stream()
                .map(maintainer -> maintainer.definition().name())
                .collect(Collectors.toSet());
        if (!known.containsAll(names)) {
            throw new DoNotRetryIOException(
                    "Not drained; the region has the indexes " + known + ", not all of " + names);
        }
        Predicate<String> waitedFor = name -> names.isEmpty() || names.contains(name);
        FlushBarrier.Inside left = indexes.drain(Math.min(request.getTimeoutMs(), LONGEST_DRAIN_MS), waitedFor);
        DrainResponse.Builder response =
                DrainResponse.newBuilder().setRemaining(left.of(waitedFor)).setRegionEnd(endOf(indexes));
        left.apart()
                .forEach((index, updates) -> response.addBehind(
                        Undelivered.newBuilder().setIndex(index).setRemaining(updates)));
        return response.build();
    }

    @Override
    public void status(RpcController controller, StatusRequest request, RpcCallback<StatusResponse> done) {
        answer(controller, done, "status", CallPermissions.USERS, () -> {
            UnloadedIndexes none = unloaded.get();
            return none == null ? statusOf(indexes()) : none.status();
        });
    }

    private static StatusResponse statusOf(RegionIndexes indexes) {
        Backlog backlog = indexes.processor().backlog();
        List<IndexLag> behind = indexes.processor().backlogs().entrySet().stream()
                .map(index -> lagOf(index.getKey(), index.getValue()))
                .toList();
        return StatusResponse.newBuilder()
                .setRegion(indexes.name())
                .setServer(indexes.serverName())
                .setQueued(backlog.rows())
                .setQueuedBytes(backlog.bytes())
                .setOldestAgeMs(backlog.oldestAgeMs())
                .setDelivered(indexes.stats().delivered.sum())
                .setRetries(indexes.stats().retries.sum())
                .setStalenessHistogram(ByteString.copyFrom(indexes.stats().encodedStaleness()))
                .setBaseReads(indexes.stats().baseReads.sum())
                .setIndexPuts(indexes.stats().indexPuts.sum())
                .setIndexDeletes(indexes.stats().indexDeletes.sum())
                .setSpilledFiles(indexes.spill().parkedFiles())
                .setRegionEnd(endOf(indexes))
                .addAllBehind(behind)
                .setLatestStamp(latestStamp(indexes))
                .build();
    }

    private static long latestStamp(RegionIndexes indexes) {
        long now = indexes.server().platform().wallClock().millis();
        return Math.max(now, indexes.clock().highest());
    }

    private static IndexLag lagOf(String index, IndexBacklog backlog) {
        return IndexLag.newBuilder()
                .setIndex(index)
                .setQueued(backlog.waiting().rows())
                .setOldestAgeMs(backlog.waiting().oldestAgeMs())
                .setSpilledFiles(backlog.files())
                .setStalled(backlog.isStalled())
                .build();
    }

    /** By which a caller goes on to the next region, wherever it splits and merges meanwhile. */
    private static ByteString endOf(RegionIndexes indexes) {
        return ByteString.copyFrom(indexes.region().getRegionInfo().getEndKey());
    }

    @Override
    public void definitions(
            RpcController controller, DefinitionsRequest request, RpcCallback<DefinitionsResponse> done) {
        answer(controller, done, "definitions", CallPermissions.USERS, () -> definitions
                .get()
                .response());
    }

    @Override
    public void repair(RpcController controller, RepairRequest request, RpcCallback<RepairResponse> done) {
        answer(controller, done, "repair", CallPermissions.OWNERS, () -> {
            requireWithinBounds(request);
            return new IndexRepair(indexes(), request).run();
        });
    }

    static void requireWithinBounds(RepairRequest request) throws DoNotRetryIOException {
        boolean tooLong = request.getRepairsList().stream()
                .anyMatch(repair -> repair.getRow().size() > HConstants.MAX_ROW_LENGTH
                        || repair.getKey().size() > HConstants.MAX_ROW_LENGTH);
        if (request.getRepairsCount() > MAX_REPAIRS || tooLong) {
            throw new DoNotRetryIOException("Repair refused, nothing was done: one call repairs at most " + MAX_REPAIRS
                    + " entries, of keys of at most " + HConstants.MAX_ROW_LENGTH + " bytes");
        }
    }

    @Override
    public void reportStale(
            RpcController controller, ReportStaleRequest request, RpcCallback<ReportStaleResponse> done) {
        answer(controller, done, "reportStale", CallPermissions.USERS, () -> ReportStaleResponse.newBuilder()
                .setAccepted(accepted(indexes(), request))
                .build());
    }

    private static int accepted(RegionIndexes indexes, ReportStaleRequest request) throws IOException {
        if (request.getEntriesCount() > MOST_REPORTED) {
            throw new DoNotRetryIOException("One call reports up to " + MOST_REPORTED + " stale entries, not "
                    + request.getEntriesCount() + "; none was looked at");
        }
        IndexMaintainer maintainer = NamedIndex.toCleanUp(indexes, request);
        if (!maintainer.definition().scheme().leavesStaleEntries()) {
            throw new DoNotRetryIOException("Index " + request.getIndex() + " is "
                    + maintainer.definition().scheme() + ": none of its entries is left to readers to be found stale");
        }
        return indexes.server().staleReports().add(indexes, maintainer, request.getEntriesList());
    }
}
