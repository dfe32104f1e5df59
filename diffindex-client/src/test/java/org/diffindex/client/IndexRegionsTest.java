package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcChannel;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.protocol.DiffIndexProtos.DrainResponse;
import org.diffindex.protocol.DiffIndexProtos.StatusResponse;
import org.junit.jupiter.api.Test;

/** Tests what the answers of all regions come to. */
class IndexRegionsTest {
    private static final TableName FLIGHTS = TableName.valueOf("flights");
    private static final ServerName SERVER = ServerName.valueOf("rs", 16020, 1);

    private final Configuration configuration = new Configuration(false);
    private final Connection connection = mock(Connection.class);

    /** Makes the regions that the client knows, and the region that answers every call. */
    private IndexRegions regions(UnaryOperator<Message> answer, RegionInfo... known) throws Exception {
        when(connection.getConfiguration()).thenReturn(configuration);
        RegionLocator locator = mock(RegionLocator.class);
        when(locator.getName()).thenReturn(FLIGHTS);
        when(locator.getAllRegionLocations())
                .thenReturn(List.of(known).stream()
                        .map(region -> new HRegionLocation(region, SERVER))
                        .toList());
        when(connection.getRegionLocator(FLIGHTS)).thenReturn(locator);
        Table table = mock(Table.class);
        when(connection.getTable(FLIGHTS)).thenReturn(table);
        CoprocessorRpcChannel channel = mock(CoprocessorRpcChannel.class);
        when(table.coprocessorService(any(byte[].class))).thenReturn(channel);
        when(channel.callBlockingMethod(any(), any(), any(), any()))
                .thenAnswer(call -> answer.apply(call.getArgument(2)));
        return new IndexRegions(connection, FLIGHTS);
    }

    /**
     * Writers continue, and each update is delivered 300 ms after it was accepted. A call waits for those accepted before
     * its cut, for 100 ms at most here.
     */
    @Test
    void aDrainEndsWhenWhatWasAcceptedBeforeItIsDelivered() throws Exception {
        configuration.setInt(HConstants.HBASE_RPC_TIMEOUT_KEY, 200);
        IndexRegions regions = regions(
                request -> drained((DrainRequest) request),
                RegionInfoBuilder.newBuilder(FLIGHTS).build());
        assertThat(regions.drain(List.of(), Duration.ofSeconds(3)).isDrained()).isTrue();
    }

    private static DrainResponse drained(DrainRequest request) {
        long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        long cut = request.hasCut() ? request.getCut() : now;
        long remaining = Math.max(0, cut + 300 - now);
        try {
            TimeUnit.MILLISECONDS.sleep(Math.min(remaining, request.getTimeoutMs()));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return DrainResponse.newBuilder()
                .setRemaining(remaining > request.getTimeoutMs() ? 1 : 0)
                .setRegionEnd(ByteString.EMPTY)
                .setCut(cut)
                .build();
    }

    /** The regions have merged since the client read hbase:meta, so that the same one answers for both. */
    @Test
    void aMergedRegionCountsOnce() throws Exception {
        byte[] middle = Bytes.toBytes("m");
        StatusResponse merged = StatusResponse.newBuilder()
                .setRegion("merged")
                .setServer("rs")
                .setQueued(7)
                .setQueuedBytes(700)
                .setOldestAgeMs(0)
                .setDelivered(0)
                .setRetries(0)
                .setBaseReads(0)
                .setIndexPuts(0)
                .setIndexDeletes(0)
                .setRegionEnd(ByteString.EMPTY)
                .build();
        IndexRegions regions = regions(
                request -> merged,
                RegionInfoBuilder.newBuilder(FLIGHTS).setEndKey(middle).build(),
                RegionInfoBuilder.newBuilder(FLIGHTS).setStartKey(middle).build());
        assertThat(regions.status()).hasSize(1);
    }
}
