package org.diffindex.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.protocol.DiffIndexProtos;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.protocol.DiffIndexProtos.DrainResponse;
import org.diffindex.protocol.DiffIndexProtos.StatusRequest;
import org.diffindex.protocol.DiffIndexProtos.StatusResponse;
import org.diffindex.protocol.DiffIndexProtos.Undelivered;
import org.diffindex.tasks.RegionCalls;
import org.diffindex.tasks.RegionWalk;

/**
 * Calls the endpoints of all regions of an indexed table: to drain the AUQ, to read the status. A call is routed by a row key; if its region moves, splits or restarts, HBase's client retries as configured.
 */
final class IndexRegions {
    /** The configuration key for the number of regions that are called at a time; 4 by default. */
    static final String THREADS_KEY = "diffindex.client.region.threads";

    /** Half of the time after which a server ends a call. */
    private static final long LONGEST_DRAIN_MS = 30_000;

    private final RegionCalls calls;
    private final Configuration configuration;

    IndexRegions(Connection connection, TableName table) {
        this.calls = new RegionCalls(connection, table);
        this.configuration = connection.getConfiguration();
    }

    private int rpcTimeout() {
        return configuration.getInt(HConstants.HBASE_RPC_TIMEOUT_KEY, HConstants.DEFAULT_HBASE_RPC_TIMEOUT);
    }

    /**
     * Waits until the updates accepted before the call are delivered to the named indexes, or to all if none is named.
     */
    DrainResult drain(Collection<String> indexes, Duration timeout) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(timeout);
        AtomicReference<DrainResult> sum = new AtomicReference<>(DrainResult.DRAINED);
        walk(
                (range, row) -> {
                    DrainResponse drained = drain(row, indexes, deadline);
                    sum.accumulateAndGet(resultOf(drained), DrainResult::plus);
                    return calls.endOf(drained.hasRegionEnd(), drained.getRegionEnd());
                },
                (done, all) -> {});
        return sum.get();
    }

    /**
     * Drains one region, in calls that end well before the client would give up. All of them wait for what was accepted
     * before the first, so that the drain ends although writers continue.
     */
    private DrainResponse drain(byte[] row, Collection<String> indexes, long deadline) throws IOException {
        long longest = Math.min(rpcTimeout() / 2, LONGEST_DRAIN_MS);
        DrainRequest.Builder request = DrainRequest.newBuilder().addAllIndexes(indexes);
        while (true) {
            long left = Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
            DrainRequest next = request.setTimeoutMs(Math.min(left, longest)).build();
            DrainResponse drained = calls.call(row, service -> service.drain(null, next));
            if (drained.getRemaining() == 0 || left <= longest) {
                return drained;
            }
            if (drained.hasCut()) {
                request.setCut(drained.getCut());
            }
        }
    }

    private static DrainResult resultOf(DrainResponse response) {
        return new DrainResult(
                response.getRemaining(),
                response.getBehindList().stream()
                        .collect(Collectors.toMap(Undelivered::getIndex, Undelivered::getRemaining)));
    }

    /**
     * Returns the status of each region, in key order. A region may have answered several calls, if it has resulted from a
     * merge of regions that the client knows.
     */
    List<RegionStatus> status() throws IOException {
        ConcurrentSkipListMap<byte[], RegionStatus> regions = new ConcurrentSkipListMap<>(Bytes.BYTES_COMPARATOR);
        walk(
                (range, row) -> {
                    StatusRequest request = StatusRequest.getDefaultInstance();
                    StatusResponse status = calls.call(row, service -> service.status(null, request));
                    regions.put(row, statusOf(status));
                    return calls.endOf(status.hasRegionEnd(), status.getRegionEnd());
                },
                (done, all) -> {});
        Map<String, RegionStatus> byName = new LinkedHashMap<>();
        regions.values().forEach(status -> byName.putIfAbsent(status.region(), status));
        return List.copyOf(byName.values());
    }

    static RegionStatus statusOf(StatusResponse response) throws IOException {
        return new RegionStatus(
                response.getRegion(),
                response.getServer(),
                response.getQueued(),
                response.getQueuedBytes(),
                response.getSpilledFiles(),
                Duration.ofMillis(response.getOldestAgeMs()),
                response.getDelivered(),
                response.getRetries(),
                response.hasStalenessHistogram()
                        ? Staleness.decode(response.getStalenessHistogram().toByteArray())
                        : Staleness.NONE,
                response.getBaseReads(),
                response.getRowMemoryHits(),
                response.getIndexPuts(),
                response.getIndexDeletes(),
                response.hasProblem() ? Optional.of(response.getProblem()) : Optional.empty(),
                response.getBehindList().stream()
                        .collect(Collectors.toMap(lag -> lag.getIndex(), IndexRegions::lagOf)));
    }

    private static IndexLag lagOf(DiffIndexProtos.IndexLag lag) {
        return new IndexLag(
                lag.getQueued(), lag.getSpilledFiles(), Duration.ofMillis(lag.getOldestAgeMs()), lag.getStalled());
    }

    private void walk(RegionWalk.Step step, RegionWalk.Progress progress) throws IOException {
        calls.walk(configuration.getInt(THREADS_KEY, 4), step, progress);
    }
}
