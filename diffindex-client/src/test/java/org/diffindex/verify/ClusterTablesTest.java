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
        doReturn(Result.EMPTY_RESULT)
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
        Connection connection = mock(Connection.class);
        Table table = mock(Table.class);
        when(connection.getTable(any())).thenReturn(table);
        List<String> keys = List.of("a", "b", "c", "d", "e", "f");
        List<Integer> pages = new ArrayList<>();
        when(table.getScanner(any(Scan.class))).thenAnswer(call -> {
            Scan scan = call.getArgument(0);
            List<String> page = keys.stream()
                    .filter(key -> isWithin(scan, key))
                    .limit(scan.getLimit())
                    .toList();
            pages.add(page.size());
            return scannerOf(page);
        });
        for (int together : List.of(2, 4, 6, 10)) {
            pages.clear();
            List<String> met = new ArrayList<>();
            ScrubRange all = new ScrubRange(OPEN, OPEN, OPEN, OPEN);
            new ClusterTables(connection, index, together).scanBase(all, row -> met.add(Bytes.toString(row.getRow())));
            assertThat(met).as("rows, %s together", together).isEqualTo(keys);
            assertThat(pages).hasSize(keys.size() / together + 1).allMatch(page -> page <= together);
        }
    }

    private static boolean isWithin(Scan scan, String key) {
        int order = Bytes.compareTo(Bytes.toBytes(key), scan.getStartRow());
        return order > 0 || (order == 0 && scan.includeStartRow());
    }

    private static ResultScanner scannerOf(List<String> keys) throws IOException {
        Iterator<Result> rows = keys.stream()
                .map(key -> Result.create(
                        List.<Cell>of(new KeyValue(Bytes.toBytes(key), new byte[] {1}, new byte[] {1}, 1L, OPEN))))
                .iterator();
        ResultScanner scanner = mock(ResultScanner.class);
        when(scanner.next()).thenAnswer(call -> rows.hasNext() ? rows.next() : null);
        return scanner;
    }
}
