package org.diffindex.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

class ClusterTablesTest {
    private static final byte[] OPEN = new byte[0];

    private final IndexDefinition index = IndexDefinition.builder(TableName.valueOf("t"), "i")
            .column("f", "c", ColumnTypes.STRING)
            .scheme(IndexScheme.SYNC_FULL)
            .build();

    /**
     * HBase's scanner throws an unchecked exception from its iterator, which a caller that handles IOExceptions would
     * miss.
     */
    @Test
    void aScanThatFailsThrowsAnIOException() throws IOException {
        ResultScanner scanner = mock(ResultScanner.class, CALLS_REAL_METHODS);
        doReturn(rowOf("a"))
                .doThrow(new NotServingRegionException("away"))
                .when(scanner)
                .next();
        Table table = mock(Table.class);
        when(table.getScanner(any(Scan.class))).thenReturn(scanner);
        Connection connection = mock(Connection.class);
        when(connection.getTable(any())).thenReturn(table);
        ScrubRange all = new ScrubRange(OPEN, OPEN, OPEN, OPEN);

        assertThatThrownBy(() -> new ClusterTables(connection, index, 10).scanBase(all, row -> {}))
                .isInstanceOf(NotServingRegionException.class);
    }

    @Test
    void scansEveryPageWithAScannerOfItsOwn() throws IOException {
        NavigableSet<String> keys = new TreeSet<>(List.of("a", "b", "c", "d", "e", "f"));
        for (int together : List.of(2, 4, 6, 10)) {
            List<Integer> pages = new ArrayList<>();
            assertThat(scanned(keys, together, pages::add))
                    .as("rows, %s together", together)
                    .containsExactlyElementsOf(keys);
            assertThat(pages).hasSize((keys.size() + together - 1) / together).allMatch(page -> page <= together);
        }
        assertThat(scanned(new TreeSet<>(), 2, page -> {})).isEmpty();
    }

    @Test
    void endsAlthoughRowsAreAppendedFasterThanItReads() throws IOException {
        NavigableSet<String> keys = new TreeSet<>(List.of("a", "b", "c"));
        Consumer<Integer> append = page -> {
            if (keys.size() < 50) { // so that a scan that follows them ends, too
                keys.add(keys.last() + "x");
            }
        };
        assertThat(scanned(keys, 1, append)).containsExactly("a", "b", "c");
    }

    /** Scans a table of these keys; tells the size of each page after it was read. */
    private List<String> scanned(NavigableSet<String> keys, int together, Consumer<Integer> afterPage)
            throws IOException {
        Table table = mock(Table.class);
        when(table.getScanner(any(Scan.class))).thenAnswer(call -> {
            Scan scan = call.getArgument(0);
            if (scan.isReversed()) {
                return scannerOf(keys.isEmpty() ? List.of() : List.of(keys.last()));
            }
            List<String> page = keys
                    .tailSet(Bytes.toString(scan.getStartRow()), scan.includeStartRow())
                    .headSet(Bytes.toString(scan.getStopRow()), scan.includeStopRow())
                    .stream()
                    .limit(scan.getLimit())
                    .toList();
            afterPage.accept(page.size());
            return scannerOf(page);
        });
        Connection connection = mock(Connection.class);
        when(connection.getTable(any())).thenReturn(table);
        List<String> met = new ArrayList<>();
        new ClusterTables(connection, index, together)
                .scanBase(new ScrubRange(OPEN, OPEN, OPEN, OPEN), row -> met.add(Bytes.toString(row.getRow())));
        return met;
    }

    private static ResultScanner scannerOf(List<String> keys) throws IOException {
        Iterator<Result> rows =
                keys.stream().map(ClusterTablesTest::rowOf).toList().iterator();
        ResultScanner scanner = mock(ResultScanner.class);
        when(scanner.next()).thenAnswer(call -> rows.hasNext() ? rows.next() : null);
        return scanner;
    }

    private static Result rowOf(String key) {
        byte[] one = {1};
        return Result.create(List.<Cell>of(new KeyValue(Bytes.toBytes(key), one, one, 1L, OPEN)));
    }
}
