package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleRequest;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleResponse;
import org.junit.jupiter.api.Test;

class StaleEntryReportsTest {
    private static final TableName TABLE = TableName.valueOf("t");
    private static final int LONG = 30_000;

    /** Entries of a slow server would otherwise take gigabytes of a reader's memory. */
    @Test
    void theEntriesThatWaitAreLimitedInSize() throws Exception {
        IndexDefinition index = IndexDefinition.builder(TABLE, "i")
                .column("f", "q", ColumnTypes.STRING)
                .build();
        CompletableFuture<Integer> reported = new CompletableFuture<>();
        List<FoundEntry> stale = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            byte[] row = Bytes.padTail(Bytes.toBytes(i), LONG);
            byte[] key = new IndexKeyCodec(index).encode(List.of(Bytes.toBytes("v")), row);
            stale.add(new FoundEntry(new IndexEntry(key, 1), 1, false));
        }
        try (StaleEntryReports reports = new StaleEntryReports(connectionTo(reported), TABLE)) {
            reports.report(index, stale);
            reports.report(index, stale.subList(0, 1));
            int most = (16 << 20) / stale.get(0).key().length + 1;
            assertThat(reported.get(30, TimeUnit.SECONDS)).isEqualTo(most);
        }
    }

    private static Connection connectionTo(CompletableFuture<Integer> reported) throws IOException {
        HRegionLocation location =
                new HRegionLocation(RegionInfoBuilder.newBuilder(TABLE).build(), ServerName.valueOf("server", 1, 1));
        RegionLocator locator = mock(RegionLocator.class);
        when(locator.getRegionLocation(any(byte[].class))).thenReturn(location);
        Table base = mock(Table.class);
        when(base.coprocessorService(any(byte[].class)))
                .thenReturn(new DefinitionService((method, controller, request, prototype) -> {
                    reported.complete(((ReportStaleRequest) request).getEntriesCount());
                    return ReportStaleResponse.getDefaultInstance();
                }));
        Connection connection = mock(Connection.class);
        when(connection.getRegionLocator(TABLE)).thenReturn(locator);
        when(connection.getTable(TABLE)).thenReturn(base);
        return connection;
    }
}
