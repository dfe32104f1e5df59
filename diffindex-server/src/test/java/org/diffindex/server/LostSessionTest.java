package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.regionserver.ChunkCreator;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MemStoreLAB;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.Repair;
import org.diffindex.protocol.DiffIndexProtos.RepairRequest;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.FakeSession;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.LocalServer;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a server that was paused beyond the end of its ZooKeeper session and has not noticed: another server has opened
 * its region, and nothing that it does now may harm what that one relies on.
 */
class LostSessionTest {
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
    private static final RegionInfo REGION =
            RegionInfoBuilder.newBuilder(Flights.TABLE).build();

    @TempDir
    Path folder;

    private final Configuration conf = HBaseConfiguration.create();
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
        conf.setLong(Settings.FLUSH_WAIT_MS, 1);
        descriptor = IndexDefinitions.with(
                TableDescriptorBuilder.newBuilder(Flights.TABLE)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                        .setCoprocessor(IndexObserver.class.getName())
                        .build(),
                INDEX);
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
        network.faults.end();
        if (!old.isClosed()) {
            before.die();
        }
        after.die();
    }

    /** The index has loaded one file on the next server; the others it loads when it answers again. */
    @Test
    void movesNoUpdatesToAFileThatTheNextServerDoesNotKnow() throws Exception {
        network.faults.outage();
        List<String> rows = List.of("r1", "r2", "r3");
        for (String row : rows) {
            put(row);
            old.flush(true);
        }
        HRegion next = loseRegion();

        relieve();
        before.die();
        network.faults.end();

        assertThat(drain(next)).isNull();
        assertThat(network.index(INDEX.indexTable()).entries())
                .hasSameSizeAs(rows)
                .isEqualTo(LocalRegion.expected(indexOf(next), next, new Scan()));
    }

    @Test
    void doesNotTellThatNothingIsUndelivered() throws Exception {
        loseRegion();
        Waiting.until("the server refuses a drain", () -> drain(old) instanceof NotServingRegionException);
    }

    @Test
    void repairsNoEntryByWhatItsRowsWere() throws Exception {
        put("r1");
        assertThat(drain(old)).isNull();
        loseRegion();
        RepairRequest request = RepairRequest.newBuilder()
                .setIndex(INDEX.name())
                .setIndexId(indexOf(old).id())
                .addRepairs(Repair.newBuilder().setRow(ByteString.copyFrom(row("r1"))))
                .build();
        Waiting.until(
                "the server refuses a repair",
                () -> failure(call -> endpoint(old).repair(call, request, answer -> {}))
                        instanceof NotServingRegionException);
        assertNothingIsWritten(call -> endpoint(old).repair(call, request, answer -> {}));
    }

    @Test
    void backfillsNoEntryByWhatItsRowsWere() throws Exception {
        put("r1");
        assertThat(drain(old)).isNull();
        loseRegion();
        FillRequest request = FillRequest.newBuilder()
                .setIndex(INDEX.name())
                .setIndexId(indexOf(old).id())
                .setMaxRows(10)
                .build();
        Waiting.until(
                "the server refuses a page",
                () -> failure(call -> endpoint(old).fill(call, request, answer -> {}))
                        instanceof NotServingRegionException);
        assertNothingIsWritten(call -> endpoint(old).fill(call, request, answer -> {}));
    }

    private void assertNothingIsWritten(Consumer<ServerRpcController> operation) {
        long puts = network.indexPuts.own() + network.indexPuts.others();
        assertThat(failure(operation)).hasMessageContaining("no entry was written");
        assertThat(network.indexPuts.own() + network.indexPuts.others()).isEqualTo(puts);
    }

    /** Ends the session of the server; the next one opens the region. */
    private HRegion loseRegion() throws IOException {
        session.end();
        before.loseWal();
        return after.open(REGION, descriptor);
    }

    private void put(String row) throws IOException {
        old.put(new Put(row(row)).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes("ORD")));
    }

    /** Moves to disk what the old server can move, as it does when it is short of memory. */
    private void relieve() {
        observerOf(old).parts().indexes().relieve(0);
    }

    private static IndexObserver observerOf(HRegion region) {
        return region.getCoprocessorHost().findCoprocessor(IndexObserver.class);
    }

    private static IndexDefinition indexOf(HRegion region) {
        return IndexDefinitions.of(region.getTableDescriptor()).get(INDEX.name());
    }

    private static DiffIndexService endpoint(HRegion region) {
        return (DiffIndexService) observerOf(region).getServices().iterator().next();
    }

    /** Waits until nothing is undelivered; returns the failure of the call, or null. */
    private static IOException drain(HRegion region) {
        return failure(call -> endpoint(region)
                .drain(call, DrainRequest.newBuilder().setTimeoutMs(30_000).build(), answer -> assertThat(
                                answer == null ? 0 : answer.getRemaining())
                        .isZero()));
    }

    private static IOException failure(Consumer<ServerRpcController> operation) {
        ServerRpcController controller = new ServerRpcController();
        operation.accept(controller);
        return controller.getFailedOn();
    }
}
