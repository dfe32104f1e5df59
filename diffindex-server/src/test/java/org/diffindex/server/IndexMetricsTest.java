package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.metrics2.MetricsSource;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.metrics.Scrape;
import org.diffindex.server.sequences.Step.Column;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that HBase's metrics show what each index costs and lacks, apart from the others. */
class IndexMetricsTest {
    private static final IndexDefinition SYNC = Flights.byOrigin(IndexScheme.SYNC_FULL);
    private static final IndexDefinition ASYNC = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);

    @TempDir
    Path folder;

    private static Put origin(String row, String airport) {
        return new Put(Flights.row(row)).addColumn(Flights.F, Bytes.toBytes("origin"), Flights.row(airport));
    }

    private static MetricsSource source(IndexDefinition index) {
        return Scrape.registered("RegionServer,sub=DiffIndex,table=%s,index=%s".formatted(index.table(), index.name()))
                .orElseThrow();
    }

    private static Map<String, Double> values(IndexDefinition index) {
        return Scrape.of(source(index));
    }

    private static long value(IndexDefinition index, String name) {
        Double value = values(index)
                .get("diff_index_by_index_%s{table=\"%s\",index=\"%s\"}".formatted(name, index.table(), index.name()));
        assertThat(value).as(name).isNotNull();
        return value.longValue();
    }

    private static long ofTable(String name) {
        Map<String, Double> values = Scrape.of(Scrape.registered("RegionServer,sub=DiffIndex,table=" + Flights.TABLE)
                .orElseThrow());
        return values.get("diff_index_by_table_%s{table=\"%s\"}".formatted(name, Flights.TABLE))
                .longValue();
    }

    @Test
    void eachIndexShowsItsOwnWrites() throws IOException {
        try (LocalRegion region = new LocalRegion(folder, 1, List.of(SYNC, ASYNC))) {
            region.region().put(origin("r1", "ORD"));
            region.region().put(origin("r1", "LAX"));
            assertThat(region.drain()).isZero();

            for (IndexDefinition index : List.of(SYNC, ASYNC)) {
                assertThat(value(index, "puts")).as(index.name()).isBetween(1L, 2L);
                assertThat(value(index, "call_seconds_count")).isPositive();
                assertThat(value(index, "failed_calls")).isZero();
                assertThat(value(index, "regions")).isOne();
                assertThat(value(index, "auq_entries")).isZero();
            }
            assertThat(value(SYNC, "puts") + value(ASYNC, "puts"))
                    .isEqualTo(region.status().getIndexPuts())
                    .isEqualTo(ofTable("index_puts"));
            assertThat(value(SYNC, "deletes") + value(ASYNC, "deletes"))
                    .isEqualTo(region.status().getIndexDeletes());
            assertThat(value(SYNC, "staleness_seconds_count")).isZero();
            assertThat(value(ASYNC, "staleness_seconds_count"))
                    .isEqualTo(region.status().getDelivered());
            assertThat(ofTable("indexed_regions")).isOne();
            assertThat(ofTable("delivered")).isEqualTo(region.status().getDelivered());
        }
        assertThat(Scrape.registered("RegionServer,sub=DiffIndex,table=" + Flights.TABLE))
                .isEmpty();
        assertThat(Scrape.registered(
                        "RegionServer,sub=DiffIndex,table=%s,index=%s".formatted(Flights.TABLE, SYNC.name())))
                .isEmpty();
    }

    @Test
    void anIndexThatIsAwayShowsWhatItLacks() throws IOException {
        IndexDefinition healthy = Flights.byOrigin(IndexScheme.ASYNC_SESSION);
        try (LocalRegion region = new LocalRegion(folder, 1, List.of(ASYNC, healthy))) {
            region.network().faultsOf(ASYNC.indexTable()).outage();
            region.region().put(origin("r1", "ORD"));
            region.region().put(origin("r2", "LAX"));
            Waiting.until("the delivery is tried again", () -> value(ASYNC, "retries") > 1);
            Waiting.until("the other index has all rows", () -> value(healthy, "auq_entries") == 0);

            // An update that is tried again is in two places, or in none, for a moment.
            Waiting.until("both updates wait", () -> value(ASYNC, "auq_entries") == 2);
            Waiting.until("they have a size", () -> value(ASYNC, "auq_bytes") > 0);
            assertThat(value(ASYNC, "stalled_regions")).isOne();
            assertThat(value(ASYNC, "failed_calls")).isPositive();
            assertThat(value(healthy, "retries")).isZero();
            assertThat(value(healthy, "stalled_regions"))
                    .as("whatever a slow machine makes of it")
                    .isZero();

            region.network().faultsOf(ASYNC.indexTable()).end();
            assertThat(region.drain()).isZero();
            assertThat(value(ASYNC, "auq_entries")).isZero();
            assertThat(value(ASYNC, "stalled_regions"))
                    .as("regions without an update, whose next delivery tells more")
                    .isZero();
        }
    }

    @Test
    void countsSpillFilesAndStaleEntries() throws IOException {
        IndexDefinition lazy = Flights.byOrigin(IndexScheme.SYNC_INSERT);
        Map<String, String> settings = Map.of(Settings.FLUSH_WAIT_MS, "0", Settings.STALE_DELAY_MS, "0");
        try (LocalRegion region = new LocalRegion(folder, 1, List.of(ASYNC, lazy), settings)) {
            region.network().faultsOf(ASYNC.indexTable()).outage();
            region.region().put(origin("r1", "ORD"));
            region.region().put(origin("r1", "LAX"));
            region.region().flush(true);
            assertThat(value(ASYNC, "spilled_files")).isPositive();
            assertThat(value(lazy, "spilled_files")).isZero();

            Waiting.until("the replaced entry is deleted", () -> value(lazy, "stale_deleted") == 1);
            assertThat(value(lazy, "deletes")).isOne();
            region.network().faultsOf(ASYNC.indexTable()).end();
            assertThat(region.drain()).isZero();
        }
    }

    /** As long as the server has any region with an index. */
    @Test
    void countersGoOnWhenARegionComesBack() throws IOException {
        FakeConnection network = new FakeConnection();
        try (ManualClock clock = ManualClock.install(1_700_000_000_000L);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            table.split(Flights.row("m"));
            byte[] row = Flights.row("z");
            table.regionOf(row).put(new Put(row).addColumn(Column.N.family(), Column.N.qualifier(), Bytes.toBytes(1L)));
            assertThat(table.drain()).isZero();
            long puts = puts(table);
            assertThat(puts).isPositive();

            table.split(Flights.row("t"));

            assertThat(puts(table)).isEqualTo(puts);
            for (IndexDefinition index : table.indexes()) {
                assertThat(value(index, "regions")).isEqualTo(3);
            }
        }
    }

    private static long puts(LocalTable table) {
        return table.indexes().stream().mapToLong(index -> value(index, "puts")).sum();
    }
}
