package org.diffindex.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.google.protobuf.ByteString;
import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcChannel;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.protocol.DiffIndexProtos.StatusResponse;
import org.junit.jupiter.api.Test;

class StampCallsTest {
    private static final TableName TABLE = TableName.valueOf("t");

    /** The answers of regions, by their start keys. */
    private final NavigableMap<byte[], StatusResponse> regions = new TreeMap<>(Bytes.BYTES_COMPARATOR);

    private final List<String> asked = new ArrayList<>();

    private void region(String start, String end, StatusResponse.Builder stamp) {
        StatusResponse answer = stamp.setRegion(start)
                .setServer("s")
                .setQueued(0)
                .setQueuedBytes(0)
                .setOldestAgeMs(0)
                .setDelivered(0)
                .setRetries(0)
                .setBaseReads(0)
                .setIndexPuts(0)
                .setIndexDeletes(0)
                .setRegionEnd(ByteString.copyFrom(Bytes.toBytesBinary(end)))
                .build();
        regions.put(Bytes.toBytesBinary(start), answer);
    }

    private long[] latest(String... rows) throws IOException {
        Table table = mock(Table.class);
        when(table.coprocessorService(any(byte[].class))).thenAnswer(call -> channel(call.getArgument(0)));
        Connection connection = mock(Connection.class);
        when(connection.getTable(TABLE)).thenReturn(table);
        return new StampCalls(connection, TABLE)
                .latest(Stream.of(rows).map(Bytes::toBytesBinary).toList());
    }

    private CoprocessorRpcChannel channel(byte[] row) throws ServiceException {
        asked.add(Bytes.toStringBinary(row));
        CoprocessorRpcChannel channel = mock(CoprocessorRpcChannel.class);
        when(channel.callBlockingMethod(any(), any(), any(), any()))
                .thenReturn(regions.floorEntry(row).getValue());
        return channel;
    }

    private static StatusResponse.Builder stamp(long latest) {
        return StatusResponse.newBuilder().setLatestStamp(latest);
    }

    @Test
    void asksEachRegionOnceAndAnswersInOrder() throws IOException {
        region("", "m", stamp(10));
        region("m", "\\xF0", stamp(20));
        region("\\xF0", "", stamp(30));
        assertThat(latest("z", "\\xF0", "a", "m", "b", "a", "\\xFF")).containsExactly(20, 30, 10, 20, 10, 10, 30);
        assertThat(asked).containsExactly("a", "m", "\\xF0");
        assertThat(latest()).isEmpty();
    }

    @Test
    void aStampThatARegionDoesNotReportIsUnknown() throws IOException {
        region("", "", StatusResponse.newBuilder());
        assertThat(latest("a")).containsExactly(Long.MAX_VALUE);
    }

    @Test
    void doesNotKeepAskingARegionThatEndsBeforeTheRow() {
        region("", "a", stamp(10));
        assertThatThrownBy(() -> latest("b")).isInstanceOf(IOException.class).hasMessageContaining("ends before it");
    }
}
