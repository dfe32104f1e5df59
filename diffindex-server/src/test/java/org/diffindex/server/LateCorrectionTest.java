package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.NavigableSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.ChunkCreator;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MemStoreLAB;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.BaseProbe;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.FakeSession;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.LocalServer;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.queue.DeliveryStats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what a server that was paused beyond the end of its ZooKeeper session writes to an index for a write of its own
 * that failed: the next server of the region does not know the stamp of that write.
 */
class LateCorrectionTest {
    private static final long START = 1_700_000_000_000L;
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.SYNC_INSERT);
    private static final RegionInfo REGION =
            RegionInfoBuilder.newBuilder(Flights.TABLE).build();

    @TempDir
    Path folder;

    private final Configuration conf = HBaseConfiguration.create();
    private ManualClock clock;
    private TableDescriptor descriptor;
    private FakeConnection network;
    private FakeSession session;
    private LocalServer before;
    private LocalServer after;
    private HRegion old;

    @BeforeEach
    void openRegion() throws Exception {
        ChunkCreator.initialize(
                MemStoreLAB.CHUNK_SIZE_DEFAULT, false, 0, 0, 0, null, MemStoreLAB.INDEX_CHUNK_SIZE_PERCENTAGE_DEFAULT);
        conf.set(HConstants.HBASE_DIR, folder.toUri().toString());
        conf.set("hbase.wal.provider", "filesystem");
        conf.setBoolean("hbase.unsafe.stream.capability.enforce", false); // the local file system has no hflush
        descriptor = IndexDefinitions.with(
                TableDescriptorBuilder.newBuilder(Flights.TABLE)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                        .setCoprocessor(IndexObserver.class.getName())
                        .setCoprocessor(BaseProbe.class.getName())
                        .build(),
                INDEX);
        clock = ManualClock.install(START);
        network = new FakeConnection(descriptor);
        network.serveIndex(INDEX.indexTable());
        session = new FakeSession();
        before = new LocalServer(conf, network, session);
        after = new LocalServer(conf, network);
        HRegion.createRegionDir(conf, REGION, new org.apache.hadoop.fs.Path(folder.toUri()));
        old = before.open(REGION, descriptor);
    }

    @AfterEach
    void stopServers() throws IOException {
        clock.close();
        before.die();
        after.die();
    }

    /** The row cannot be read when the write fails, so that the server looks at it again later. */
    @Test
    void aWriteThatFailedHidesNoEntryOfTheNextServer() throws IOException {
        put(old, "ORD");
        old.flush(true);
        session.end();
        before.loseWal();
        HRegion next = after.open(REGION, descriptor);
        clock.move(50);
        failWithoutReads("LAX");
        clock.move(-10); // the next server's clock is behind
        put(next, "ORD");
        lookAgain();
        NavigableSet<String> expected =
                LocalRegion.expected(IndexDefinitions.of(descriptor).get(INDEX.name()), next, new Scan());
        assertThat(expected).isNotEmpty();
        assertThat(network.index(INDEX.indexTable()).entries()).containsAll(expected);
    }

    /** Makes a write of the old server fail, whose row cannot be read from then on. */
    private void failWithoutReads(String origin) {
        probe().failures.outage(true);
        before.failingSyncs.failNext(1);
        assertThatThrownBy(() -> put(old, origin)).isInstanceOf(IOException.class);
        Waiting.until(
                "the server has looked at the row in vain",
                () -> stats().retries.sum() > 0);
    }

    /** Lets the old server read the row, and correct its entries. */
    private void lookAgain() {
        long delivered = stats().delivered.sum();
        probe().failures.outage(false);
        Waiting.until(
                "the server has looked at the row", () -> stats().delivered.sum() > delivered);
    }

    private BaseProbe probe() {
        return old.getCoprocessorHost().findCoprocessor(BaseProbe.class);
    }

    private DeliveryStats stats() {
        IndexObserver observer = old.getCoprocessorHost().findCoprocessor(IndexObserver.class);
        return observer.parts().indexes().metrics().stats();
    }

    private static void put(HRegion region, String origin) throws IOException {
        region.put(new Put(row("r")).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes(origin)));
    }
}
