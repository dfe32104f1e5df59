package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexAddress;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.ReadPoint;
import org.diffindex.server.local.BaseProbe;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A region whose coprocessors HBase replaces while it is open: a change of the servers' configuration that names other
 * ones ({@code update_config}) makes new objects of all of them, without opening the region again.
 */
class ReplacedCoprocessorsTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(IndexScheme.class)
    void theIndexesAreKeptAsBefore(IndexScheme scheme) throws IOException {
        IndexDefinition index = Flights.byOrigin(scheme);
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(index))) {
            put(local, "a", "ORD");
            put(local, "b", "ORD");
            replaceCoprocessors(local);
            put(local, "b", "LAX");
            put(local, "c", "ORD");
            assertThat(local.drain()).isZero();
            assertThat(local.status().getOldestAgeMs()).isZero();
            if (!scheme.leavesStaleEntries()) {
                assertThat(local.indexTable(index).entries()).isEqualTo(local.expected(index));
            } else {
                assertThat(local.indexTable(index).entries()).containsAll(local.expected(index));
            }
            local.region().flush(true);
            put(local, "d", "ORD");
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(index).entries()).containsAll(local.expected(index));
        }
    }

    @Test
    void rowsAreReadOnceACoprocessorIsAddedThatMayHideCells() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL);
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(index))) {
            put(local, "a", "ORD");
            replaceCoprocessors(local);
            put(local, "a", "LAX");
            assertThat(local.status().getRowMemoryHits()).isZero();
        }
    }

    /** Rows that were written meanwhile were remembered before with other values. */
    @Test
    void rowsAreReadAfterSuchACoprocessorHasBeenRemovedAgain() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL);
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(index))) {
            put(local, "a", "ORD");
            replaceCoprocessors(local);
            put(local, "a", "LAX");
            addCoprocessor(local.region(), BaseProbe.class);
            put(local, "a", "SFO");
            assertThat(local.indexTable(index).entries()).isEqualTo(local.expected(index));
        }
    }

    /** Otherwise no flush or compaction of the region could drop what was overwritten since. */
    @Test
    void aReadPointThatAScanOfAnIndexWasToldIsHeldNoLongerThanBefore() throws IOException {
        try (LocalTable table = openIndexTable()) {
            HRegion region = table.regionOf(row("key"));
            putEntry(region);
            tellReadPoint(region);
            long told = region.getMVCC().getReadPoint();
            addCoprocessor(region, Intruders.HidingFromGets.class);
            putEntry(region);
            assertThat(region.getSmallestReadPoint()).isEqualTo(told);
            region.getCoprocessorHost().preClose(false);
            assertThat(region.getSmallestReadPoint()).isEqualTo(region.getMVCC().getReadPoint());
        }
    }

    @Test
    void aScanOfAnIndexIsToldItsReadPointStill() throws IOException {
        try (LocalTable table = openIndexTable()) {
            HRegion region = table.regionOf(row("key"));
            putEntry(region);
            Scan scan = ReadPoint.askFor(new Scan());
            try (RegionScanner scanner = region.getScanner(scan)) {
                region.getCoprocessorHost().postScannerOpen(scan, scanner);
                addCoprocessor(region, Intruders.HidingFromGets.class);
                assertThat(ReadPoint.of(firstPage(region, scanner))).isPresent();
            }
        }
    }

    @Test
    void theLeaseOfAnIndexRegionEndsWithTheRegion() throws IOException {
        try (LocalTable table = openIndexTable()) {
            HRegion region = table.regionOf(row("key"));
            RegionCoprocessorEnvironment env = guardOf(region);
            String lease = PerServer.keyOf(env, SessionLease.class);
            assertThat(env.getSharedData()).containsKey(lease);
            addCoprocessor(region, Intruders.HidingFromGets.class);
            table.move();
            assertThat(env.getSharedData()).doesNotContainKey(lease);
        }
    }

    /** Opens a table with the coprocessor of an index table. */
    private LocalTable openIndexTable() throws IOException {
        LocalTable table = TableShape.VERSIONS_1.openBare(folder, new FakeConnection(TableShape.VERSIONS_1.bare()));
        table.alter(TableDescriptorBuilder.newBuilder(table.descriptor())
                .setCoprocessor(IndexTableGuard.class.getName())
                .build());
        return table;
    }

    private static RegionCoprocessorEnvironment guardOf(HRegion region) {
        return region.getCoprocessorHost().findCoprocessorEnvironment(IndexTableGuard.class.getName());
    }

    private static void putEntry(HRegion region) throws IOException {
        region.put(IndexAddress.of(new Put(row("key")).addColumn(F, Bytes.toBytes("q"), row("value")), ""));
    }

    /** Scans a region as a client does that asks for the read point. */
    private static void tellReadPoint(HRegion region) throws IOException {
        Scan scan = ReadPoint.askFor(new Scan());
        try (RegionScanner scanner = region.getScanner(scan)) {
            region.getCoprocessorHost().postScannerOpen(scan, scanner);
            firstPage(region, scanner);
        }
    }

    private static Result firstPage(HRegion region, RegionScanner scanner) throws IOException {
        List<Cell> cells = new ArrayList<>();
        scanner.next(cells);
        List<Result> page = new ArrayList<>(List.of(Result.create(cells)));
        region.getCoprocessorHost().postScannerNext(scanner, page, 1, true);
        return page.get(0);
    }

    private static void replaceCoprocessors(LocalRegion local) {
        addCoprocessor(local.region(), Intruders.HidingFromGets.class);
    }

    /** Makes the coprocessors of the table anew, and one of another class. */
    private static void addCoprocessor(HRegion region, Class<? extends RegionCoprocessor> added) {
        Configuration changed = new Configuration(region.getReadOnlyConfiguration());
        changed.set(CoprocessorHost.REGION_COPROCESSOR_CONF_KEY, added.getName());
        region.onConfigurationChange(changed);
        assertThat(region.getCoprocessorHost().findCoprocessor(added)).isNotNull();
    }

    private static void put(LocalRegion local, String row, String origin) throws IOException {
        local.region().put(new Put(row(row)).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes(origin)));
    }
}
