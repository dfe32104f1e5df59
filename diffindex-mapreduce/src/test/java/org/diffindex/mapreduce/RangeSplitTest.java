package org.diffindex.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.diffindex.tasks.KeyRange;
import org.junit.jupiter.api.Test;

class RangeSplitTest {
    private static final TableName TABLE = TableName.valueOf("t");

    private static KeyRange range(String start, String end) {
        return new KeyRange(Bytes.toBytes(start), Bytes.toBytes(end));
    }

    private static HRegionLocation region(String start, String host) {
        return new HRegionLocation(
                RegionInfoBuilder.newBuilder(TABLE)
                        .setStartKey(Bytes.toBytes(start))
                        .build(),
                host.isEmpty() ? null : ServerName.valueOf(host, 16020, 1));
    }

    private static List<String> split(KeyRange... ranges) throws IOException {
        Connection connection = mock(Connection.class);
        RegionLocator locator = mock(RegionLocator.class);
        when(connection.getRegionLocator(TABLE)).thenReturn(locator);
        when(locator.getAllRegionLocations())
                .thenReturn(Stream.of(region("", "one"), region("h", ""), region("p", "two"))
                        .toList());
        return RangeSplit.of(connection, TABLE, List.of(ranges)).stream()
                .map(split -> split + " " + String.join(",", split.getLocations()))
                .toList();
    }

    @Test
    void rangesAreDividedWhereRegionsStart() throws IOException {
        assertThat(split(range("", ""))).containsExactly("t ['', 'h') one", "t ['h', 'p') ", "t ['p', '') two");
        assertThat(split(range("b", "h"), range("k", "q")))
                .containsExactly("t ['b', 'h') one", "t ['k', 'p') ", "t ['p', 'q') two");
        assertThat(split(range("x", ""))).containsExactly("t ['x', '') two");
    }

    @Test
    void aSplitTravels() throws IOException {
        RangeSplit sent = new RangeSplit(TABLE, range("a", ""), "host");
        DataOutputBuffer out = new DataOutputBuffer();
        sent.write(out);
        DataInputBuffer in = new DataInputBuffer();
        in.reset(out.getData(), out.getLength());
        RangeSplit received = new RangeSplit();
        received.readFields(in);
        assertThat(received).isEqualTo(sent).hasSameHashCodeAs(sent);
        assertThat(received.getLocations()).containsExactly("host");
        assertThat(received).isNotEqualTo(new RangeSplit(TABLE, range("a", "b"), "host"));
    }
}
