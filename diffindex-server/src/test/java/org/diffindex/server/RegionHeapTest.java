package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.Flights.F;
import static org.diffindex.server.Flights.row;

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
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/**
 * The heap that an indexed region takes of its server beside the memory of the AUQ, which is bounded: with 1,000 regions on one
 * server, of a table with four indexes, one of each scheme.
 */
class RegionHeapTest {
    /** What operations.md promises, in bytes. */
    private static final long MOST = 20_000;

    private static final int DRAIN_MS = 60_000;
    private static final byte[] ORIGIN = Bytes.toBytes("origin");

    @TempDir
    Path folder;

    private final List<IndexDefinition> indexes = new ArrayList<>();
    private LocalServer server;
    private FakeConnection network;

    @BeforeEach
    void serveIndexes() throws IOException {
        for (IndexScheme scheme : IndexScheme.values()) {
            indexes.add(Flights.byOrigin(scheme).withState(IndexState.ACTIVE));
        }
    }

    private void openRegions(int count) throws IOException {
        TableDescriptor table = TableDescriptorBuilder.newBuilder(Flights.TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                .setCoprocessor(IndexObserver.class.getName())
                .build();
        for (IndexDefinition index : indexes) {
            table = IndexDefinitions.with(table, index);
        }
        network = new FakeConnection(table);
        for (IndexDefinition index : indexes) {
            network.serveIndex(index.indexTable());
        }
        Configuration conf = HBaseConfiguration.create();
        PlainFileSystem.use(conf, folder);
        conf.set("hbase.wal.provider", "filesystem");
        conf.setBoolean(MemStoreLAB.USEMSLAB_KEY, false); // 2 MB for each region
        server = new LocalServer(conf, network);
        for (int i = 0; i < count; i++) {
            RegionInfo region = RegionInfoBuilder.newBuilder(Flights.TABLE)
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

    @Test
    void aThousandRegionsTakeLittleBesideTheQueuesMemory(TestReporter reporter) throws IOException {
        openRegions(1_000);
        long idle = bytesOfARegion("idle", reporter);
        write(5, 20);
        drain();
        long used = bytesOfARegion("used", reporter);
        assertThat(idle).as("a region that was not written").isLessThan(MOST / 2);
        assertThat(used).as("a region that was written").isLessThan(MOST);
    }

    /** What the AUQ's memory bounds while it waits leaves nothing behind. */
    @Test
    void aLongQueueLeavesNoMemoryBehind(TestReporter reporter) throws IOException {
        openRegions(20);
        IndexDefinition away = indexes.get(indexes.size() - 1);
        network.faultsOf(away.indexTable()).outage();
        write(4, 1_000);
        network.faultsOf(away.indexTable()).end();
        drain();
        long after = bytesOfARegion("after an outage", reporter);
        assertThat(after).isLessThan(MOST);
    }

    private void write(int batches, int rows) throws IOException {
        int region = 0;
        for (HRegion each : server.regions()) {
            for (int batch = 0; batch < batches; batch++) {
                List<Mutation> puts = new ArrayList<>();
                for (int i = 0; i < rows; i++) {
                    puts.add(new Put(row("%s-%d-%d".formatted(prefix(region), batch, i)))
                            .addColumn(F, ORIGIN, Bytes.toBytes("ORD" + i)));
                }
                each.batchMutate(puts.toArray(Mutation[]::new));
            }
            region++;
        }
    }

    private void drain() {
        DrainRequest request =
                DrainRequest.newBuilder().setTimeoutMs(DRAIN_MS).build();
        for (HRegion region : server.regions()) {
            IndexEndpoint endpoint = (IndexEndpoint)
                    observer(region).getServices().iterator().next();
            endpoint.drain(
                    new ServerRpcController(),
                    request,
                    response -> assertThat(response.getRemaining()).isZero());
        }
    }

    private static IndexObserver observer(HRegion region) {
        return region.getCoprocessorHost().findCoprocessor(IndexObserver.class);
    }

    /** What all regions of the server share. */
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

    /** What is there for the sake of the regions' indexes: all that the server would not refer to without them. */
    private long bytesOfARegion(String when, TestReporter reporter) {
        List<IndexObserver> observers =
                server.regions().stream().map(RegionHeapTest::observer).toList();
        ObjectGraph all = new ObjectGraph();
        all.addWithout(
                List.of(server, shared()), object -> object instanceof IndexObserver || object instanceof RegionIndexes);
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
