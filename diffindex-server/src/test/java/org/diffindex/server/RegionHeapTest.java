package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MemStoreLAB;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalServer;
import org.diffindex.server.local.ObjectGraph;
import org.diffindex.server.local.PlainFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the heap that an indexed region takes of its server in addition to the memory of the AUQ, which is bounded. The
 * regions are of tables with four indexes each, one of each scheme.
 */
class RegionHeapTest {
    /** The bound that operations.md promises, in bytes. */
    private static final long MOST = 20_000;

    private static final int DRAIN_MS = 60_000;
    private static final byte[] ORIGIN = Bytes.toBytes("origin");

    @TempDir
    Path folder;

    private final Configuration conf = HBaseConfiguration.create();
    private LocalServer server;
    private FakeConnection network;

    /** An index table of the table that was opened last. */
    private TableName away;

    @BeforeEach
    void startServer() throws IOException {
        network = new FakeConnection(tableWithIndexes(Flights.TABLE));
        PlainFileSystem.use(conf, folder);
        conf.set("hbase.wal.provider", "filesystem");
        conf.setBoolean(MemStoreLAB.USEMSLAB_KEY, false); // would take 2 MB for each region
        server = new LocalServer(conf, network);
    }

    private TableDescriptor tableWithIndexes(TableName name) throws IOException {
        TableDescriptor table = TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                .setCoprocessor(IndexObserver.class.getName())
                .build();
        for (IndexScheme scheme : IndexScheme.values()) {
            IndexDefinition index = IndexDefinition.builder(name, scheme.schemeName())
                    .column("f", "origin", ColumnTypes.STRING)
                    .scheme(scheme)
                    .build();
            table = IndexDefinitions.with(table, index);
        }
        return table;
    }

    private void openTable(TableName name, int count) throws IOException {
        TableDescriptor table = tableWithIndexes(name);
        for (IndexDefinition index : IndexDefinitions.of(table).values()) {
            network.serveIndex(index.indexTable());
            away = index.indexTable();
        }
        for (int i = 0; i < count; i++) {
            RegionInfo region = RegionInfoBuilder.newBuilder(name)
                    .setStartKey(i == 0 ? HConstants.EMPTY_START_ROW : row(prefix(i)))
                    .setEndKey(i == count - 1 ? HConstants.EMPTY_END_ROW : row(prefix(i + 1)))
                    .build();
            HRegion.createRegionDir(conf, region, new org.apache.hadoop.fs.Path(conf.get(HConstants.HBASE_DIR)));
            server.open(region, table);
        }
    }

    @AfterEach
    void stop() throws IOException {
        server.die();
    }

    private static String prefix(int region) {
        return "%04d".formatted(region);
    }

    /** Returns the number of tables, each of a hundred regions. */
    int tables() {
        return 1;
    }

    @Test
    void manyRegionsTakeLittleHeapBesideTheMemoryOfTheQueue(TestReporter reporter) throws IOException {
        for (int table = 0; table < tables(); table++) {
            openTable(TableName.valueOf("flights-" + table), 100);
        }
        long idle = bytesOfARegion("idle", reporter);
        write(5, 20);
        drain();
        long used = bytesOfARegion("used", reporter);
        assertThat(idle).as("bytes of a region that was not written").isLessThan(MOST / 2);
        assertThat(used).as("bytes of a region that was written").isLessThan(MOST);
    }

    /** The bounded memory that updates take while they wait is released completely. */
    @Test
    void aLongQueueReleasesItsMemory(TestReporter reporter) throws IOException {
        openTable(Flights.TABLE, 20);
        network.faultsOf(away).outage();
        write(4, 1_000);
        network.faultsOf(away).end();
        drain();
        long after = bytesOfARegion("after an outage", reporter);
        assertThat(after).isLessThan(MOST);
    }

    private void write(int batches, int rows) throws IOException {
        for (HRegion each : server.regions()) {
            String first = Bytes.toString(each.getRegionInfo().getStartKey());
            for (int batch = 0; batch < batches; batch++) {
                List<Mutation> puts = new ArrayList<>();
                for (int i = 0; i < rows; i++) {
                    puts.add(new Put(row("%s-%d-%d".formatted(first.isEmpty() ? prefix(0) : first, batch, i)))
                            .addColumn(F, ORIGIN, Bytes.toBytes("ORD" + i)));
                }
                each.batchMutate(puts.toArray(Mutation[]::new));
            }
        }
    }

    private void drain() {
        DrainRequest request = DrainRequest.newBuilder().setTimeoutMs(DRAIN_MS).build();
        for (HRegion region : server.regions()) {
            IndexEndpoint endpoint =
                    (IndexEndpoint) observer(region).getServices().iterator().next();
            endpoint.drain(new ServerRpcController(), request, response -> assertThat(response.getRemaining())
                    .isZero());
        }
    }

    private static IndexObserver observer(HRegion region) {
        return region.getCoprocessorHost().findCoprocessor(IndexObserver.class);
    }

    /** Returns what all regions of the server share. */
    private ServerIndexing shared() {
        return server
                .regions()
                .get(0)
                .getCoprocessorHost()
                .findCoprocessorEnvironment(IndexObserver.class.getName())
                .getSharedData()
                .values()
                .stream()
                .map(each -> PerServer.valueOf(each, ServerIndexing.class))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow();
    }

    /**
     * Returns the bytes that exist only for the regions' indexes, per region: the server would not refer to them
     * otherwise.
     */
    private long bytesOfARegion(String when, TestReporter reporter) {
        List<IndexObserver> observers =
                server.regions().stream().map(RegionHeapTest::observer).toList();
        ObjectGraph all = new ObjectGraph();
        all.addWithout(
                List.of(server, shared()),
                object -> object instanceof IndexObserver
                        || object instanceof IndexLoader
                        || object instanceof OnlineRegion);
        long bytes = all.add(observers);
        int regions = observers.size();
        reporter.publishEntry(
                "bytes of a region, " + when,
                bytes / regions + ", of which "
                        + all.bytesByClass().entrySet().stream()
                                .filter(each -> each.getValue() > 200L * regions)
                                .sorted(Map.Entry.<String, Long>comparingByValue()
                                        .reversed())
                                .map(each -> each.getKey() + " " + each.getValue() / regions)
                                .collect(Collectors.joining(", ")));
        return bytes / regions;
    }
}
