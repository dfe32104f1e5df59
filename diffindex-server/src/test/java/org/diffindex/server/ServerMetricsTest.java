package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.metrics.Gauge;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.hbase.metrics.MetricRegistry;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.sequences.Step.Column;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that HBase's metrics show the cost of the indexes of a server's regions until the last of these regions closes.
 */
class ServerMetricsTest {
    @TempDir
    Path folder;

    @Test
    void metricsFollowTheRegion() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
        try (LocalRegion region = new LocalRegion(folder, 1, List.of(index))) {
            region.region().put(origin("r1", "ORD"));
            region.region().put(origin("r1", "LAX"));
            assertThat(region.drain()).isZero();

            assertThat(metric("indexedRegions")).isEqualTo(1);
            assertThat(metric("auqEntries")).isZero();
            assertThat(metric("oldestUpdateMs")).isZero();
            assertThat(metric("delivered"))
                    .isEqualTo(region.status().getDelivered())
                    .isPositive();
            assertThat(metric("indexPuts"))
                    .isEqualTo(region.status().getIndexPuts())
                    .isPositive();
            assertThat(metric("updateMemoryLimitBytes"))
                    .isEqualTo(ServerParts.of(region).memory().limit());
        }
        assertThat(registry().get("indexedRegions")).isEmpty();
    }

    /**
     * This happens when the only region of a server reopens for a new index. HBase shows the registry that it saw
     * first.
     */
    @Test
    void theNextRegionReportsInTheSameRegistry() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL);
        MetricRegistry seen;
        try (LocalRegion first = new LocalRegion(folder.resolve("first"), 1, List.of(index))) {
            first.region().put(origin("r1", "ORD"));
            seen = registry();
        }
        try (LocalRegion second = new LocalRegion(folder.resolve("second"), 1, List.of(index))) {
            assertThat(registry()).isSameAs(seen);
            assertThat(metric("indexedRegions")).isEqualTo(1);
            assertThat(metric("indexPuts"))
                    .isEqualTo(second.status().getIndexPuts())
                    .isZero();
        }
    }

    @Test
    void keepsTheCountsOfAClosedRegion() throws IOException {
        FakeConnection network = new FakeConnection();
        try (ManualClock clock = ManualClock.install(1_700_000_000_000L);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            table.split(Flights.row("m"));
            byte[] row = Flights.row("z");
            table.regionOf(row).put(new Put(row).addColumn(Column.N.family(), Column.N.qualifier(), Bytes.toBytes(1L)));
            assertThat(table.drain()).isZero();
            long puts = metric("indexPuts");
            assertThat(puts).isPositive();

            table.split(Flights.row("t"));

            assertThat(metric("indexedRegions")).isEqualTo(3);
            assertThat(metric("indexPuts")).isEqualTo(puts);
        }
    }

    @Test
    void countsTheRowsThatWereRemembered() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL);
        try (LocalRegion region = new LocalRegion(folder, 1, List.of(index))) {
            region.region().put(origin("r1", "ORD"));
            assertThat(metric("rowMemoryHits")).isZero();
            assertThat(metric("rowMemoryBytes")).isPositive();
            region.region().put(origin("r1", "LAX"));
            assertThat(metric("rowMemoryHits"))
                    .isEqualTo(region.status().getRowMemoryHits())
                    .isOne();
        }
    }

    private static Put origin(String row, String airport) {
        return new Put(Flights.row(row)).addColumn(Flights.F, Bytes.toBytes("origin"), Flights.row(airport));
    }

    private static MetricRegistry registry() {
        return MetricRegistries.global().get(ServerMetrics.REGISTRY).orElseThrow();
    }

    private static long metric(String name) {
        Gauge<?> gauge = (Gauge<?>) registry().get(name).orElseThrow();
        return (Long) gauge.getValue();
    }
}
