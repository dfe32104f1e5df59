package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Mutation;
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
import org.diffindex.server.local.BaseProbe;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.queue.QueueMemory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that an unavailable index does not take the memory that other indexes of the server need. */
class OutageMemoryTest {
    private static final IndexDefinition AWAY = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
    private static final IndexDefinition HEALTHY = Flights.byOrigin(IndexScheme.ASYNC_SESSION);
    private static final int LIMIT = 1_000_000;
    private static final int REGIONS = 8;

    /** The number of batches that each region gets; those of one region take more than half of the memory. */
    private static final int BATCHES = 60;

    private static final int ROWS = 50;

    @TempDir
    Path folder;

    @BeforeEach
    void initialize() {
        ChunkCreator.initialize(
                MemStoreLAB.CHUNK_SIZE_DEFAULT, false, 0, 0, 0, null, MemStoreLAB.INDEX_CHUNK_SIZE_PERCENTAGE_DEFAULT);
    }

    @Test
    void spillFilesThatCannotBeDeliveredDoNotRemainInMemory() throws Exception {
        TableDescriptor descriptor = descriptor();
        FakeConnection network = new FakeConnection(descriptor);
        network.serveIndex(AWAY.indexTable());
        network.serveIndex(HEALTHY.indexTable());
        try (LocalTable table = new LocalTable(configuration(), descriptor, network)) {
            for (int region = 1; region < REGIONS; region++) {
                table.split(row(Integer.toString(region)));
            }
            network.faultsOf(AWAY.indexTable()).outage();
            for (int region = 0; region < REGIONS; region++) {
                for (int batch = 0; batch < BATCHES; batch++) {
                    write(table, region, batch);
                }
            }
            QueueMemory memory = memoryOf(table);
            int[] batch = {BATCHES};
            Waiting.until("half of the memory is free", () -> {
                write(table, 0, batch[0]++);
                return memory.used() < LIMIT / 2;
            });
            network.faultsOf(AWAY.indexTable()).end();
            assertThat(table.drain()).isZero();
            assertThat(table.entries(AWAY)).hasSize((REGIONS * BATCHES + batch[0] - BATCHES) * ROWS);
            assertThat(table.entries(HEALTHY)).hasSameSizeAs(table.entries(AWAY));
            Waiting.until("nothing holds memory", () -> memory.used() == 0);
        }
    }

    private static void write(LocalTable table, int region, int batch) throws IOException {
        List<Mutation> puts = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            puts.add(new Put(row(region + "-" + batch + "-" + i))
                    .addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes("ORD")));
        }
        HRegion to = table.regionOf(row(Integer.toString(region)));
        Waiting.until("a refused write is admitted", () -> {
            var status = to.batchMutate(puts.toArray(Mutation[]::new))[0];
            return status.getOperationStatusCode() == OperationStatusCode.SUCCESS;
        });
    }

    private static QueueMemory memoryOf(LocalTable table) {
        return table
                .regions()
                .get(0)
                .getCoprocessorHost()
                .findCoprocessorEnvironment(IndexObserver.class.getName())
                .getSharedData()
                .values()
                .stream()
                .map(shared -> PerServer.valueOf(shared, ServerIndexing.class).memory())
                .findFirst()
                .orElseThrow();
    }

    private Configuration configuration() {
        Configuration conf = HBaseConfiguration.create();
        conf.set(HConstants.HBASE_DIR, folder.toUri().toString());
        conf.set("hbase.wal.provider", "filesystem");
        conf.setBoolean("hbase.unsafe.stream.capability.enforce", false); // the local file system has no hflush
        conf.setInt(Settings.QUEUE_MAX_BYTES, LIMIT);
        return conf;
    }

    private static TableDescriptor descriptor() throws IOException {
        TableDescriptor descriptor = TableDescriptorBuilder.newBuilder(Flights.TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                .setCoprocessor(IndexObserver.class.getName())
                .setCoprocessor(BaseProbe.class.getName())
                .build();
        for (IndexDefinition index : List.of(AWAY, HEALTHY)) {
            descriptor = IndexDefinitions.with(descriptor, index);
        }
        return descriptor;
    }
}
