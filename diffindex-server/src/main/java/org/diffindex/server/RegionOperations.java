package org.diffindex.server;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.diffindex.model.IndexDefinition;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.protocol.DiffIndexProtos.BuildResponse;
import org.diffindex.protocol.DiffIndexProtos.CheckRequest;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.protocol.DiffIndexProtos.DrainResponse;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.protocol.DiffIndexProtos.IndexLag;
import org.diffindex.protocol.DiffIndexProtos.RepairRequest;
import org.diffindex.protocol.DiffIndexProtos.RepairResponse;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleRequest;
import org.diffindex.protocol.DiffIndexProtos.StatusResponse;
import org.diffindex.protocol.DiffIndexProtos.Undelivered;
import org.diffindex.server.build.BuildRequests;
import org.diffindex.server.deliver.IndexWriter;
import org.diffindex.server.maintain.IndexMaintainer;
import org.diffindex.server.queue.Backlog;
import org.diffindex.server.queue.DeliveryStats;
import org.diffindex.server.queue.FlushBarrier;
import org.diffindex.server.queue.IndexBacklog;

/**
 * The operations of an {@link IndexEndpoint} on the indexes of one region. The endpoint has checked the caller's
 * permissions. Thread-safe; used by the server's handlers.
 */
final class RegionOperations {
    /** The limit of one call's wait, in milliseconds; it occupies a handler of the server for that time. */
    static final long LONGEST_DRAIN_MS = 60_000;

    private final DirectWrites parts;
    private final RegionInfo region;
    private final RegionIndexes indexes;
    private final RegionMetrics metrics;
    private final String server;
    private final StaleEntries stale;
    private final PresentEntries present;
    private final IndexWriter.Connections connections;

    /**
     * Creates the operations on a region.
     *
     * @param server the name of the region server
     * @param stale receives the reports of readers
     * @param connections returns the connection to the index tables, which acts as the server
     */
    RegionOperations(
            DirectWrites parts,
            RegionIndexes indexes,
            String server,
            StaleEntries stale,
            PresentEntries present,
            IndexWriter.Connections connections) {
        this.parts = parts;
        this.region = parts.region().getRegionInfo();
        this.indexes = indexes;
        this.metrics = indexes.metrics();
        this.server = server;
        this.stale = stale;
        this.present = present;
        this.connections = connections;
    }

    FillResponse backfill(FillRequest request) throws IOException {
        return new BackfillPage(parts, request).page();
    }

    /** Follows or controls the build of an index, which concerns all regions. */
    BuildResponse build(BuildRequest request) throws IOException {
        IndexDefinition index = parts.maintainers().all().stream()
                .map(IndexMaintainer::definition)
                .filter(definition -> definition.name().equals(request.getIndex())
                        && definition.id().equals(request.getIndexId()))
                .findFirst()
                .orElseThrow(() -> new IOException("Index " + request.getIndex() + " is not defined on "
                        + region.getTable() + " as this region was opened with; nothing was done"));
        return BuildRequests.answer(connections.get(), index, request);
    }

    RepairResponse repair(RepairRequest request) throws IOException {
        return new IndexRepair(parts, request).run();
    }

    DrainResponse drain(DrainRequest request) throws IOException {
        Set<String> names = Set.copyOf(request.getIndexesList());
        Set<String> known = parts.maintainers().all().stream()
                .map(maintainer -> maintainer.definition().name())
                .collect(Collectors.toSet());
        if (!known.containsAll(names)) {
            throw new DoNotRetryIOException(
                    "Not drained; the region has the indexes " + known + ", not all of " + names);
        }
        Predicate<String> waitedFor = name -> names.isEmpty() || names.contains(name);
        long cut = indexes.cut(request.hasCut() ? OptionalLong.of(request.getCut()) : OptionalLong.empty());
        FlushBarrier.Inside left = indexes.drain(cut, Math.min(request.getTimeoutMs(), LONGEST_DRAIN_MS), waitedFor);
        DrainResponse.Builder response = DrainResponse.newBuilder()
                .setRemaining(left.of(waitedFor))
                .setRegionEnd(regionEnd())
                .setCut(cut);
        left.apart()
                .forEach((index, updates) -> response.addBehind(
                        Undelivered.newBuilder().setIndex(index).setRemaining(updates)));
        return response.build();
    }

    StatusResponse status() {
        Backlog backlog = metrics.backlog();
        List<IndexLag> behind = metrics.backlogs().entrySet().stream()
                .map(index -> lagOf(index.getKey(), index.getValue()))
                .toList();
        DeliveryStats stats = metrics.stats();
        return StatusResponse.newBuilder()
                .setRegion(indexes.name())
                .setServer(server)
                .setQueued(backlog.rows())
                .setQueuedBytes(backlog.bytes())
                .setOldestAgeMs(backlog.oldestAgeMs())
                .setDelivered(stats.delivered.sum())
                .setRetries(stats.retries.sum())
                .setStalenessHistogram(ByteString.copyFrom(stats.encodedStaleness()))
                .setBaseReads(stats.baseReads.sum())
                .setRowMemoryHits(stats.rowMemoryHits.sum())
                .setIndexPuts(stats.indexPuts.sum())
                .setIndexDeletes(stats.indexDeletes.sum())
                .setSpilledFiles(metrics.parkedFiles())
                .setRegionEnd(regionEnd())
                .addAllBehind(behind)
                .setLatestStamp(parts.stamps().latest())
                .build();
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

    /**
     * Returns the end key, from which a caller continues with the next region, regardless of splits and merges
     * meanwhile.
     */
    private ByteString regionEnd() {
        return ByteString.copyFrom(region.getEndKey());
    }

    /** Returns which entries of a request their rows certainly yield now, one bit for each. */
    ByteString confirmed(CheckRequest request) throws IOException {
        return ByteString.copyFrom(present.confirmed(request).toByteArray());
    }

    /** Accepts reports of stale entries; returns how many of them are waiting for the cleanup. */
    int reportStale(ReportStaleRequest request) throws IOException {
        return stale.reported(request);
    }
}
