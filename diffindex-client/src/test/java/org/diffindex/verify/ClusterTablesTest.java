package org.diffindex.verify;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
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
}
