package org.diffindex.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.ServiceException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.collect.Lists;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleRequest;
import org.diffindex.protocol.DiffIndexProtos.StaleEntry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the entries that reads found stale to the servers of their base rows, which check the rows themselves and
 * delete the stale entries (read repair). Works in the background: a read neither waits for a report nor fails with it.
 * The reports of the reads of a tenth of a second go together, one call to each region. If reports arrive faster than
 * they are sent, the excess is dropped; a later read reports these entries again. Safe for use by many threads.
 */
final class StaleEntryReports implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(StaleEntryReports.class);

    /** How long a report waits for others; the servers keep the entries for much longer. */
    private static final long LINGER_MS = 100;

    /** The most entries that wait to be reported. */
    private static final int MOST_WAITING = 64_000;

    /** The most bytes of their keys, but for the last one. */
    private static final long MOST_BYTES = 16 << 20;

    /** The most entries of a report. A region accepts ten times as many. */
    private static final int MOST_ENTRIES = 1_000;

    private final Connection connection;
    private final TableName table;

    /** One thread, which ends after 5 s without a report. After {@link #close} it sends what waits. */
    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(
            1,
            new ThreadFactoryBuilder()
                    .setNameFormat("diffindex-stale-%d")
                    .setDaemon(true)
                    .build(),
            new ThreadPoolExecutor.DiscardPolicy());

    /** Identifies an entry; two reads may find the same one. */
    private record Name(String indexId, ByteBuffer key) {}

    private record Report(IndexDefinition index, FoundEntry found) {}

    /** Guarded by this. */
    private final Map<Name, Report> waiting = new LinkedHashMap<>();

    /** The size of the keys of what is waiting. Guarded by this. */
    private long bytes;

    /** Whether a run is scheduled that will find what is waiting. Guarded by this. */
    private boolean scheduled;

    /** Creates the reports about the indexes of a base table. Makes no call. */
    StaleEntryReports(Connection connection, TableName table) {
        this.connection = connection;
        this.table = table;
        thread.setKeepAliveTime(5, TimeUnit.SECONDS);
        thread.allowCoreThreadTimeOut(true);
    }

    /** Reports entries that were found in the index table. */
    synchronized void report(IndexDefinition index, List<FoundEntry> stale) {
        if (thread.isShutdown()) {
            return;
        }
        for (FoundEntry found : stale) {
            if (!found.own() && waiting.size() < MOST_WAITING && bytes < MOST_BYTES) {
                add(index, found);
            }
        }
        if (!waiting.isEmpty() && !scheduled) {
            scheduled = true;
            var unused = thread.schedule(this::send, LINGER_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void add(IndexDefinition index, FoundEntry found) {
        Name name = new Name(index.id(), ByteBuffer.wrap(found.key()));
        if (waiting.put(name, new Report(index, found)) == null) {
            bytes += found.key().length;
        }
    }

    private void send() {
        takeWaiting().stream()
                .collect(Collectors.groupingBy(Report::index, Collectors.mapping(Report::found, Collectors.toList())))
                .forEach((index, found) -> Lists.partition(found, MOST_ENTRIES).forEach(part -> tell(index, part)));
    }

    private synchronized List<Report> takeWaiting() {
        List<Report> taken = List.copyOf(waiting.values());
        waiting.clear();
        bytes = 0;
        scheduled = false;
        return taken;
    }

    private void tell(IndexDefinition index, List<FoundEntry> found) {
        try {
            for (ReportStaleRequest request : byRegion(index, found).values()) {
                tell(request);
            }
        } catch (IOException | ServiceException | RuntimeException e) {
            if (thread.isShutdown()) {
                LOG.debug(
                        "Stale entries of index {} could not be reported after the close; a later read tries again",
                        index.name(),
                        e);
                return;
            }
            LOG.info("Stale entries of index {} could not be reported; a later read tries again", index.name(), e);
        }
    }

    private void tell(ReportStaleRequest request) throws IOException, ServiceException {
        try (Table base = connection.getTable(table)) {
            byte[] row = request.getEntries(0).getRow().toByteArray();
            DiffIndexService.newBlockingStub(base.coprocessorService(row)).reportStale(null, request);
        }
    }

    /** Returns the requests by the first keys of the regions that contain the rows. */
    private Map<byte[], ReportStaleRequest> byRegion(IndexDefinition index, List<FoundEntry> found) throws IOException {
        IndexKeyCodec codec = new IndexKeyCodec(index);
        Map<byte[], ReportStaleRequest.Builder> requests = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        try (RegionLocator locator = connection.getRegionLocator(table)) {
            for (FoundEntry entry : found) {
                byte[] row = codec.decode(entry.key()).row();
                byte[] region = locator.getRegionLocation(row).getRegion().getStartKey();
                requests.computeIfAbsent(region, key -> ReportStaleRequest.newBuilder()
                                .setIndex(index.name())
                                .setIndexId(index.id()))
                        .addEntries(StaleEntry.newBuilder()
                                .setRow(ByteString.copyFrom(row))
                                .setKey(ByteString.copyFrom(entry.key()))
                                .setStamp(entry.stamp()));
            }
        }
        Map<byte[], ReportStaleRequest> built = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        requests.forEach((region, request) -> built.put(region, request.build()));
        return built;
    }

    /**
     * Accepts no more reports. Those that wait are sent at once, in the background; otherwise the reads of a table that is
     * closed after each read would never cause a repair. The connection may be closed meanwhile.
     */
    @Override
    public synchronized void close() {
        if (scheduled) {
            thread.execute(this::send);
        }
        thread.shutdown();
    }
}
