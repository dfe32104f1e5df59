package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.ycsb.Items;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

/** Tests that a read that does not return what it should fails, so that no experiment measures wrong answers. */
class ReadClientTest {
    private static final TableName INDEX = TableName.valueOf("index");

    private final BenchTable target = new BenchTable(Contender.NO_INDEX, "", 1_000, 1, 3);
    private final Connection connection = mock(Connection.class);
    private final Table table = mock(Table.class);

    @BeforeEach
    void connect() throws IOException {
        when(connection.getTable(target.name())).thenReturn(table);
    }

    private static Result row(int item, byte[] title) {
        return Result.create(
                List.of(new KeyValue(BenchTable.key(item), BenchTable.FAMILY, Bytes.toBytes(Items.TITLE), 1L, title)));
    }

    private void readItem7(Result answer) throws IOException {
        when(table.get(any(Get.class))).thenReturn(answer);
        try (ReadClient client = new ReadClient(connection, target, Projection.TITLE, () -> 7)) {
            client.operate();
        }
    }

    @Test
    void aReadOfTheItemsCurrentTitleSucceeds() {
        assertThatCode(() -> readItem7(row(7, target.title(7)))).doesNotThrowAnyException();
    }

    @Test
    void aReadOfAnOldTitleOfAnotherRowOrOfNothingFails() {
        for (Result wrong : List.of(row(7, Items.titleBytes(7, 5)), row(8, target.title(7)), Result.EMPTY_RESULT)) {
            assertThatThrownBy(() -> readItem7(wrong))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("did not return the row of title " + Bytes.toString(target.title(7)));
        }
    }

    private Bench benchWithAnIndexOf(int entries, Table index) throws IOException {
        RegionInfo first = RegionInfoBuilder.newBuilder(INDEX)
                .setEndKey(Bytes.toBytes("m"))
                .build();
        RegionInfo second = RegionInfoBuilder.newBuilder(INDEX)
                .setStartKey(Bytes.toBytes("m"))
                .build();
        ServerName server = ServerName.valueOf("localhost", 1, 1);
        RegionLocator locator = mock(RegionLocator.class);
        when(locator.getAllRegionLocations())
                .thenReturn(List.of(new HRegionLocation(first, server), new HRegionLocation(second, server)));
        when(connection.getRegionLocator(INDEX)).thenReturn(locator);
        when(connection.getTable(any(TableName.class), any(ExecutorService.class)))
                .thenReturn(index);
        ResultScanner scanner = mock(ResultScanner.class);
        var remaining = Collections.nCopies(entries, row(1, target.title(1))).iterator();
        when(scanner.next()).thenAnswer(call -> remaining.hasNext() ? remaining.next() : null);
        when(index.getScanner(any(Scan.class))).thenReturn(scanner);
        when(index.getName()).thenReturn(INDEX);
        return new Bench(null, connection, Results.options(1_000), null);
    }

    @Test
    void aPlainRangeReadStartsAtItsRegionAndRequestsItsEntries() throws IOException {
        Table index = mock(Table.class);
        Bench bench = benchWithAnIndexOf(40, index);
        try (RangeClient client = RangeClient.plain(bench, INDEX, 40, () -> 1)) {
            client.operate();
        }
        ArgumentCaptor<Scan> scan = ArgumentCaptor.forClass(Scan.class);
        verify(index).getScanner(scan.capture());
        assertThat(scan.getValue().getStartRow()).isEqualTo(Bytes.toBytes("m"));
        assertThat(scan.getValue().getLimit()).isEqualTo(40);
        verify(index).close();
    }

    @Test
    void aRangeReadOfTooFewEntriesFails() throws IOException {
        Bench bench = benchWithAnIndexOf(39, mock(Table.class));
        try (RangeClient client = RangeClient.plain(bench, INDEX, 40, () -> 0)) {
            assertThatThrownBy(client::operate).hasMessageContaining("returned 39 entries instead of 40");
        }
    }
}
