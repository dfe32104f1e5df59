package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BenchTablesTest {
    private static final ServerName SERVER = ServerName.valueOf("localhost", 1, 1);

    private final Connection connection = mock(Connection.class);
    private final RegionMetrics region = mock(RegionMetrics.class);
    private final BenchTables tables = new BenchTables(connection, Results.options(2_000));

    @BeforeEach
    void connect() throws IOException {
        Admin admin = mock(Admin.class);
        when(connection.getAdmin()).thenReturn(admin);
        when(admin.getRegionServers()).thenReturn(List.of(SERVER));
        when(admin.getRegionMetrics(SERVER)).thenReturn(List.of(region));
    }

    @Test
    void tellsThatCompactionsHaveNotEnded() throws IOException {
        when(region.getCompactionState()).thenReturn(CompactionState.MAJOR);
        assertThat(tables.awaitCompactions(Duration.ofMillis(100))).isFalse();
        assertThat(tables.awaitCompactions(Duration.ZERO)).as("nothing seen").isFalse();
    }

    /** The next compaction may start shortly after the last one ends. */
    @Test
    void waitsUntilNoCompactionIsSeenThreeTimesInARow() throws IOException {
        when(region.getCompactionState())
                .thenReturn(CompactionState.NONE, CompactionState.NONE, CompactionState.MINOR, CompactionState.NONE);
        assertThat(tables.awaitCompactions(Duration.ofMinutes(1))).isTrue();
        verify(region, times(6)).getCompactionState();
    }
}
