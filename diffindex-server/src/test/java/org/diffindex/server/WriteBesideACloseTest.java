package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.ChunkCreator;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MemStoreLAB;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a conditional write that is about to be acknowledged while its region closes: HBase's close does not wait for
 * it, since HBase has released its row and the region.
 */
class WriteBesideACloseTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.SYNC_FULL);

    private final ExecutorService handlers = Executors.newCachedThreadPool();

    private FakeConnection network;
    private LocalTable table;

    @BeforeEach
    void open(@TempDir Path folder) throws IOException {
        ChunkCreator.initialize(
                MemStoreLAB.CHUNK_SIZE_DEFAULT, false, 0, 0, 0, null, MemStoreLAB.INDEX_CHUNK_SIZE_PERCENTAGE_DEFAULT);
        Configuration conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, folder.toUri().toString());
        conf.set("hbase.wal.provider", "filesystem");
        conf.setBoolean("hbase.unsafe.stream.capability.enforce", false); // the local file system has no hflush
        conf.setLong(Settings.CLOSE_WAIT_MS, 10);
        conf.setLong(Settings.LOAD_WAIT_MS, 60_000);
        TableDescriptor bare = TableDescriptorBuilder.newBuilder(Flights.TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                .setCoprocessor(IndexObserver.class.getName())
                .build();
        TableDescriptor descriptor = IndexDefinitions.with(bare, INDEX);
        network = new FakeConnection(descriptor);
        network.serveIndex(INDEX.indexTable());
        table = new LocalTable(conf, descriptor, network);
    }

    @AfterEach
    void close() throws IOException {
        handlers.shutdownNow();
        table.close();
    }

    /** An earlier update of its row is in a file, and the index still has the entry that the update deletes. */
    @Test
    void endsDelayedIfItWaitsForASpillFile() throws Exception {
        region().put(put("r", "JFK"));
        network.faults.hold();
        putDelayed("z", "ORD");
        Waiting.until("the APS waits for the index", () -> network.faults.waiting() > 0);
        Waiting.until("the index is behind", () -> !metrics().backlogs().isEmpty());
        putDelayed("r", "LAX");
        Waiting.until("its update is on disk only", () -> {
            parts().indexes().relieve(1);
            return metrics().parkedFiles() == 1;
        });

        Future<?> write = handlers.submit(() -> region().checkAndMutate(CheckAndMutate.newBuilder(row("r"))
                .ifEquals(F, ORIGIN, Bytes.toBytes("LAX"))
                .build(put("r", "SFO"))));
        Waiting.until("the row is written", () -> originOf("r").equals("SFO"));
        table.move();

        assertThatThrownBy(() -> write.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(IndexUpdateDelayedException.class);
        network.faults.end();
        assertThat(table.drain()).isZero();
        assertThat(table.entries(INDEX)).isEqualTo(LocalTable.expected(INDEX, table.visible(List.of("r", "z"))));
    }

    private void putDelayed(String row, String origin) {
        network.faults.failNext(1, false);
        assertThatThrownBy(() -> region().put(put(row, origin))).isInstanceOf(IndexUpdateDelayedException.class);
    }

    private static Put put(String row, String origin) {
        return new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes(origin));
    }

    private String originOf(String row) throws IOException {
        return Bytes.toString(region().get(new Get(row(row))).getValue(F, ORIGIN));
    }

    private HRegion region() {
        return table.regionOf(row("r"));
    }

    private RegionMetrics metrics() {
        return parts().indexes().metrics();
    }

    private RegionParts parts() {
        return region().getCoprocessorHost()
                .findCoprocessor(IndexObserver.class)
                .parts();
    }
}
