package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockConstruction;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.ycsb.Items;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;
import org.mockito.MockedConstruction;

/** Tests that a read that does not return what it should fails, so that no experiment measures wrong answers. */
class ReadClientTest {
    private static final TableName INDEX = TableName.valueOf("index");

    private final BenchTable target = new BenchTable(Contender.NO_INDEX, "", 1_000, 1, 3);
    private final BenchTable indexed = new BenchTable(Results.FULL, "", 1_000, 1, 3);
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

    private static byte[] entry(int item) {
        return EntryTable.key(Items.titleBytes(item, 0), BenchTable.key(item));
    }

    /** Returns the entries of that many items, in the order of an index. */
    private static List<byte[]> entries(int count) {
        return IntStream.range(0, count)
                .mapToObj(ReadClientTest::entry)
                .sorted(Bytes.BYTES_COMPARATOR)
                .toList();
    }

    private Bench benchWithAnIndexOf(List<byte[]> entries, Table index) throws IOException {
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
        var remaining = entries.iterator();
        when(scanner.next()).thenAnswer(call -> remaining.hasNext() ? result(remaining.next()) : null);
        when(index.getScanner(any(Scan.class))).thenReturn(scanner);
        when(index.getName()).thenReturn(INDEX);
        return new Bench(null, connection, Results.options(1_000), null);
    }

    private static Result result(byte[] entry) {
        return Result.create(List.of(new KeyValue(entry, EntryFormat.FAMILY, EntryFormat.QUALIFIER, 1L, new byte[0])));
    }

    @Test
    void aPlainRangeReadStartsAtItsRegionAndRequestsItsEntries() throws IOException {
        Table index = mock(Table.class);
        Bench bench = benchWithAnIndexOf(
                entries(40).stream()
                        .map(key -> Bytes.add(Bytes.toBytes("m"), key))
                        .toList(),
                index);
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
        Bench bench = benchWithAnIndexOf(entries(39), mock(Table.class));
        try (RangeClient client = RangeClient.plain(bench, INDEX, 40, () -> 0)) {
            assertThatThrownBy(client::operate).hasMessageContaining("returned 39 entries instead of 40");
        }
    }

    /** Returns wrong answers of 40 entries: one entry again and again, one twice, two in the wrong order. */
    private static List<List<byte[]>> outOfOrder() {
        List<byte[]> twice = new ArrayList<>(entries(40));
        twice.set(20, twice.get(19));
        List<byte[]> swapped = new ArrayList<>(entries(40));
        Collections.swap(swapped, 38, 39);
        return List.of(Collections.nCopies(40, entry(1)), twice, swapped);
    }

    @Test
    void aPlainRangeReadOutOfOrderOrOfAnotherRangeFails() throws IOException {
        for (List<byte[]> wrong : outOfOrder()) {
            try (RangeClient client =
                    RangeClient.plain(benchWithAnIndexOf(wrong, mock(Table.class)), INDEX, 40, () -> 0)) {
                assertThatThrownBy(client::operate).hasMessageContaining("A range read returned the entry");
            }
        }
        try (RangeClient client =
                RangeClient.plain(benchWithAnIndexOf(entries(40), mock(Table.class)), INDEX, 40, () -> 1)) {
            assertThatThrownBy(client::operate).hasMessageContaining("after its start m");
        }
    }

    /** A range read by index of a table whose index answers with these entries. */
    private void readByIndex(List<byte[]> answer, int region) throws IOException {
        IndexKeyCodec codec = new IndexKeyCodec(indexed.definitions().get(0));
        IndexScanner scanner = mock(IndexScanner.class);
        var remaining = answer.iterator();
        when(scanner.next()).thenAnswer(call -> remaining.hasNext() ? hit(remaining.next(), codec) : null);
        MockedConstruction<IndexedTable> tables =
                mockConstruction(IndexedTable.class, (table, context) -> when(table.getByIndex(any(IndexQuery.class)))
                        .thenReturn(scanner));
        try (RangeClient client = RangeClient.byIndex(connection, indexed, 40, () -> region)) {
            client.operate();
        } finally {
            tables.close();
        }
    }

    private static IndexHit hit(byte[] entry, IndexKeyCodec codec) {
        IndexKeyCodec.Key key = codec.decode(entry);
        IndexHit hit = mock(IndexHit.class);
        when(hit.key()).thenReturn(entry);
        when(hit.row()).thenReturn(key.row());
        when(hit.values()).thenReturn(key.values());
        return hit;
    }

    @Test
    void aRangeReadByIndexOutOfOrderOfAnotherRangeOrOfAnOldTitleFails() throws IOException {
        assertThatCode(() -> readByIndex(entries(40), 0)).doesNotThrowAnyException();
        for (List<byte[]> wrong : outOfOrder()) {
            assertThatThrownBy(() -> readByIndex(wrong, 0)).hasMessageContaining("A range read returned the entry");
        }
        assertThatThrownBy(() -> readByIndex(entries(40), 2)).hasMessageContaining("after its start aaaaaaaaaaaaaaaa");
        Put unused = indexed.nextVersion(lastItem(), new Random(1));
        assertThatThrownBy(() -> readByIndex(entries(40), 0)).hasMessageContaining("not the title of the row");
    }

    /** Returns the item of the last entry of 40. */
    private static int lastItem() {
        byte[] last = entries(40).get(39);
        return IntStream.range(0, 40)
                .filter(item -> Arrays.equals(last, entry(item)))
                .findFirst()
                .orElseThrow();
    }
}
