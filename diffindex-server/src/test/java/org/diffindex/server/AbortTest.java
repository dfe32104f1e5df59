package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a region server that aborts while writes of its handlers wait for index tables. Such a handler holds HBase's
 * lock of its region, without which the region cannot close and the server cannot end.
 */
@Timeout(60)
class AbortTest {
    @TempDir
    Path folder;

    private final ExecutorService handlers = Executors.newCachedThreadPool();

    private LocalRegion local;

    @AfterEach
    void closeRegion() throws IOException {
        local.network().faults.end();
        local.close();
        handlers.shutdownNow();
    }

    @ParameterizedTest
    @EnumSource(names = {"SYNC_FULL", "SYNC_INSERT"})
    void anAbortingServerDoesNotWaitForAnIndex(IndexScheme scheme) throws Exception {
        open(scheme);
        Future<?> write = writeThatWaits();

        local.abort();
        Future<?> end = handlers.submit(() -> local.region().close(true));

        end.get(30, TimeUnit.SECONDS);
        assertThatThrownBy(write::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IndexUpdateDelayedException.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"SYNC_FULL", "SYNC_INSERT"})
    void anAbortingServerStartsNoCallToAnIndexTable(IndexScheme scheme) throws Exception {
        open(scheme);
        local.region().put(put()); // opens the connection
        IndexSink sink = ServerParts.of(local).sink();
        local.abort();
        local.region().close(true);

        IndexDefinition index = local.indexes().iterator().next();
        IndexUpdate update = IndexUpdate.put(index, new IndexEntry(Bytes.toBytes("key"), 1), 1);
        assertThatThrownBy(() -> sink.write(List.of(update)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("The region server aborts");
    }

    /** HBase closes a region that fails to open in the same way as the regions of a server that aborts. */
    @ParameterizedTest
    @EnumSource(names = {"SYNC_FULL", "SYNC_INSERT"})
    void aRegionThatFailsToOpenDoesNotDisturbOtherWrites(IndexScheme scheme) throws Exception {
        open(scheme);
        Future<?> write = writeThatWaits();

        local.region().getCoprocessorHost().preClose(true);

        local.network().faults.end();
        write.get(30, TimeUnit.SECONDS);
        IndexDefinition index = local.indexes().iterator().next();
        assertThat(local.indexTable(index).visible()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"SYNC_FULL", "SYNC_INSERT"})
    void anAbortingServerRefusesWrites(IndexScheme scheme) throws Exception {
        open(scheme);
        local.abort();
        local.region().getCoprocessorHost().preClose(true);

        assertThatThrownBy(() -> local.region().put(put())).isInstanceOf(NotServingRegionException.class);
        assertThat(local.base().puts.own() + local.base().puts.others()).isZero();
    }

    private Future<?> writeThatWaits() {
        local.network().faults.holdAll();
        Future<?> write = handlers.submit(() -> {
            local.region().put(put());
            return null;
        });
        Waiting.until(
                "the write waits for the index", () -> local.network().faults.waiting() == 1);
        return write;
    }

    private static Put put() {
        return new Put(Flights.row("DL1")).addColumn(Flights.F, Bytes.toBytes("origin"), Bytes.toBytes("ORD"));
    }

    private void open(IndexScheme scheme) throws IOException {
        local = new LocalRegion(folder, 1, List.of(Flights.byOrigin(scheme)));
    }
}
