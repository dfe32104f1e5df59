package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.PathIntoRegion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that a write that concerns an index is in the synced WAL before it is acknowledged, whatever durability the
 * client or the table requests: the index entry is durable elsewhere, and must not outlive its row. Runs on a real
 * region.
 */
class WalSyncTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final byte[] COUNT = Bytes.toBytes("count");
    private static final List<IndexDefinition> INDEXES = List.of(
            Flights.byOrigin(IndexScheme.SYNC_FULL),
            IndexDefinition.builder(Flights.TABLE, "by_count")
                    .column("f", "count", ColumnTypes.LONG)
                    .scheme(IndexScheme.ASYNC_SIMPLE)
                    .build());

    @TempDir
    Path folder;

    /** Returns one write of each kind, created anew because HBase changes them. */
    private static List<Mutation> writes(Durability durability) {
        return Stream.of(
                        new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD")),
                        new Increment(row("r")).addColumn(F, COUNT, 1),
                        new Append(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("+")),
                        new Delete(row("r")))
                .map(write -> write.setDurability(durability))
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void syncsOnEveryPathWhateverTheClientRequests(PathIntoRegion path) throws IOException {
        try (LocalRegion local = open(Durability.USE_DEFAULT)) {
            for (Durability durability : Durability.values()) {
                for (Mutation write : writes(durability)) {
                    assertSynced(local, path, write);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void syncsOnEveryPathWhateverTheTableRequests(PathIntoRegion path) throws IOException {
        try (LocalRegion local = open(Durability.ASYNC_WAL)) {
            for (Mutation write : writes(Durability.USE_DEFAULT)) {
                assertSynced(local, path, write);
            }
        }
    }

    private void assertSynced(LocalRegion local, PathIntoRegion path, Mutation write) throws IOException {
        Durability asked = write.getDurability();
        long before = local.walSyncs.own();
        path.write(local.region(), List.of(write));
        assertThat(local.walSyncs.own() - before)
                .as("syncs that %s waited for [%s, %s]", write.getClass().getSimpleName(), path, asked)
                .isEqualTo(1);
    }

    @Test
    void doesNotChangeTheDurabilityOfAnUnindexedWrite() throws IOException {
        try (LocalRegion local = open(Durability.USE_DEFAULT)) {
            Put put = new Put(row("r")).addColumn(F, Bytes.toBytes("carrier"), Bytes.toBytes("UA"));
            long before = local.walSyncs.own();
            local.region().put(put.setDurability(Durability.ASYNC_WAL));
            assertThat(local.walSyncs.own()).isEqualTo(before);
            assertThat(put.getDurability()).isEqualTo(Durability.ASYNC_WAL);
        }
    }

    @Test
    void keepsAStrongerDurability() throws IOException {
        try (LocalRegion local = open(Durability.ASYNC_WAL)) {
            Put put = new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD"));
            local.region().put(put.setDurability(Durability.FSYNC_WAL));
            assertThat(put.getDurability()).isEqualTo(Durability.FSYNC_WAL);
        }
    }

    private LocalRegion open(Durability ofTheTable) throws IOException {
        return new LocalRegion(
                folder, 1, INDEXES, Map.of(), table -> PathIntoRegion.with(table.setDurability(ofTheTable)));
    }
}
