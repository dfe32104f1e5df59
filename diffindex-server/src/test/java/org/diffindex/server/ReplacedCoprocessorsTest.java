package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.BaseProbe;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
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
            addCoprocessor(local, BaseProbe.class);
            put(local, "a", "SFO");
            assertThat(local.indexTable(index).entries()).isEqualTo(local.expected(index));
        }
    }

    private static void replaceCoprocessors(LocalRegion local) {
        addCoprocessor(local, Intruders.HidingFromGets.class);
    }

    /** Makes the coprocessors of the table anew, and one of another class. */
    private static void addCoprocessor(LocalRegion local, Class<? extends RegionCoprocessor> added) {
        Configuration changed = new Configuration(local.region().getReadOnlyConfiguration());
        changed.set(CoprocessorHost.REGION_COPROCESSOR_CONF_KEY, added.getName());
        local.region().onConfigurationChange(changed);
        assertThat(local.region().getCoprocessorHost().findCoprocessor(added)).isNotNull();
    }

    private static void put(LocalRegion local, String row, String origin) throws IOException {
        local.region().put(new Put(row(row)).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes(origin)));
    }
}
