package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.sequences.Step;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A table beside whose coprocessor a tombstone spares some cells, as beside HBase's VisibilityController: the index
 * follows from what HBase shows, whichever way the past of rows is read.
 */
class OtherDeleteRulesTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final String SPARED = Intruders.SPARED + " value";
    private static final long START = 1_700_000_000_000L;

    @TempDir
    Path folder;

    /** The past is read raw with 0, and by a read point with 1,000, where the rules are HBase's. */
    @ParameterizedTest
    @ValueSource(strings = {"0", "1000"})
    void aTombstoneThatSparesACellLeavesItsEntry(String nearReadCells) throws IOException {
        List<IndexDefinition> indexes =
                Stream.of(IndexScheme.values()).map(Flights::byOrigin).toList();
        try (LocalRegion local = open(indexes, Map.of(Settings.NEAR_READ_CELLS, nearReadCells))) {
            put(local, "spared", SPARED);
            put(local, "hidden", "ORD");
            local.region().delete(new Delete(row("spared")).addColumns(F, ORIGIN));
            local.region().delete(new Delete(row("hidden")).addColumns(F, ORIGIN));
            assertThat(local.drain()).isZero();
            for (IndexDefinition index : local.indexes()) {
                assertThat(local.expected(index)).hasSize(1);
                if (index.scheme().leavesStaleEntries()) {
                    assertThat(local.indexTable(index).entries())
                            .as(index.name())
                            .containsAll(local.expected(index));
                } else {
                    assertThat(local.indexTable(index).entries())
                            .as(index.name())
                            .isEqualTo(local.expected(index));
                }
            }
        }
    }

    @Test
    void soDoesATombstoneThatAReplayRestores() throws IOException {
        FakeConnection network = new FakeConnection();
        byte[] spared = row("r0");
        try (ManualClock clock = ManualClock.install(START);
                LocalTable table = TableShape.VERSIONS_1.open(folder, clock, network)) {
            table.alter(Intruders.with(Intruders.Sparing.class)
                    .apply(TableDescriptorBuilder.newBuilder(table.descriptor()))
                    .build());
            Step.Column column = Step.Column.A;
            table.regionOf(spared)
                    .put(new Put(spared).addColumn(column.family(), column.qualifier(), Bytes.toBytes(SPARED)));
            table.regionOf(spared).delete(new Delete(spared).addColumns(column.family(), column.qualifier()));
            table.die();
            table.recover();
            assertThat(table.drain()).isZero();
            for (IndexDefinition index : table.indexes()) {
                assertThat(table.entries(index))
                        .as(index.name())
                        .isEqualTo(LocalTable.expected(index, table.visible(List.of("r0"))));
            }
        }
    }

    /** A flush for a reader of the past applies no newer tombstone, but counts what it hides among the versions. */
    @Test
    void aFlushKeepsAnOlderValueThatATombstoneReveals() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
        try (LocalRegion local = open(List.of(index), Map.of(Settings.FLUSH_WAIT_MS, "0"))) {
            put(local, "r", SPARED);
            put(local, "r", "ORD");
            assertThat(local.drain()).isZero();
            local.network().faults.outage();
            local.region().delete(new Delete(row("r")).addColumns(F, ORIGIN));
            local.region().flush(true);
            assertThat(local.region().get(new Get(row("r"))).getValue(F, ORIGIN))
                    .isEqualTo(Bytes.toBytes(SPARED));
            local.network().faults.end();
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(index).entries()).isEqualTo(local.expected(index));
        }
    }

    private LocalRegion open(List<IndexDefinition> indexes, Map<String, String> settings) throws IOException {
        return new LocalRegion(folder, 1, indexes, settings, Intruders.with(Intruders.Sparing.class));
    }

    private static void put(LocalRegion local, String row, String origin) throws IOException {
        local.region().put(new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes(origin)));
    }
}
