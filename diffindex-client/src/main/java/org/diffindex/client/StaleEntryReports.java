package org.diffindex.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.ServiceException;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
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
 * Reports the entries that a read found stale to the servers of their base rows, which check the rows themselves and
 * delete the stale entries (read repair). Works in the background: a read neither waits for a report nor fails with it.
 * If reports arrive faster than they are sent, the excess is dropped; a later read reports these entries again. Safe
 * for use by many threads.
 */
final class StaleEntryReports implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(StaleEntryReports.class);

    /** The most reports that wait to be sent. */
    private static final int MOST_REPORTS = 64;

    /** The most entries of a report. A region accepts ten times as many. */
    private static final int MOST_ENTRIES = 1_000;

    private final Connection connection;
    private final TableName table;

    /** One thread, which ends after 5 s without a report. */
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            1,
            1,
            5,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MOST_REPORTS),
            new ThreadFactoryBuilder()
                    .setNameFormat("diffindex-stale-%d")
                    .setDaemon(true)
                    .build(),
            new ThreadPoolExecutor.DiscardPolicy());

    /** Creates the reports about the indexes of a base table. Makes no call. */
    StaleEntryReports(Connection connection, TableName table) {
        this.connection = connection;
        this.table = table;
        thread.allowCoreThreadTimeOut(true);
    }

    /** Reports entries that were found in the index table. */
    void report(IndexDefinition index, List<FoundEntry> stale) {
        List<FoundEntry> found = stale.stream().filter(entry -> !entry.own()).toList();
        for (List<FoundEntry> part : Lists.partition(found, MOST_ENTRIES)) {
            thread.execute(() -> tell(index, part));
        }
    }

    private void tell(IndexDefinition index, List<FoundEntry> found) {
        try {
            for (ReportStaleRequest request : byRegion(index, found).values()) {
                tell(request);
            }
        } catch (IOException | ServiceException | RuntimeException e) {
            if (thread.isShutdown()) {
                thread.getQueue().clear();
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
     * Accepts no more reports. Those that wait are still sent in the background, up to the first that fails; otherwise
     * the reads of a table that is closed after each read would never cause a repair. The connection may be closed
     * meanwhile.
     */
    @Override
    public void close() {
        thread.shutdown();
    }
}
