package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a value that cannot be decoded and is in the table before the index is created: the backfill leaves out its
 * row, counts it, and indexes all other rows. The row can be written, deleted, flushed, moved and replayed like any
 * other.
 */
class PoisonFromBeforeTest {
    private static final byte[] COUNT = Bytes.toBytes("count");
    private static final byte[] FRAGILE = Bytes.toBytes("fragile");
    private static final List<String> GOOD = List.of("a", "k", "z");
    private static final List<String> ALL = List.of("a", "k", "poison", "z");

    @TempDir
    Path folder;

    private FakeConnection network;
    private LocalTable table;

    @BeforeEach
    void openWithoutAnIndex() throws IOException {
        network = new FakeConnection(TableShape.VERSIONS_5.bare());
        table = TableShape.VERSIONS_5.openBare(folder, network);
        for (String row : GOOD) {
            put(row, Bytes.toBytes(7), "good");
        }
    }

    @AfterEach
    void close() throws IOException {
        table.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"runtime exception", "assertion error", "stack overflow", "linkage error"})
    void theBackfillLeavesOutOnlyItsRow(String poison) throws IOException {
        put("poison", Bytes.toBytes("no int"), poison);
        table.flush();
        makeIndexes();

        exact(GOOD);
        put("poison", Bytes.toBytes(8), "good");
        exact(ALL);
    }

    @ParameterizedTest
    @ValueSource(strings = {"runtime exception", "assertion error", "stack overflow", "linkage error"})
    void itsRowCanBeDeletedMovedAndReplayed(String poison) throws IOException {
        put("poison", Bytes.toBytes("no int"), poison);
        makeIndexes();

        region("poison").put(new Put(row("poison")).addColumn(F, Bytes.toBytes("other"), row("x")));
        region("poison").delete(new Delete(row("poison")).addColumns(F, COUNT));
        exact(GOOD);
        put("a", Bytes.toBytes(9), "better");
        table.die();
        table.recover();
        exact(GOOD);
        table.split(row("m"));
        table.compact();
        region("poison").delete(new Delete(row("poison")));
        exact(GOOD);
    }

    /** An older version that reappears is treated like one from before the index. */
    @ParameterizedTest
    @ValueSource(strings = {"runtime exception", "assertion error", "stack overflow", "linkage error"})
    void anUndecodableVersionThatReappearsHasNoEntry(String poison) throws IOException {
        put("poison", Bytes.toBytes("no int"), poison);
        makeIndexes();
        put("poison", Bytes.toBytes(8), "good");
        exact(ALL);
        region("poison").delete(new Delete(row("poison")).addColumn(F, COUNT).addColumn(F, FRAGILE));
        exact(GOOD);
    }

    private HRegion region(String row) {
        return table.regionOf(row(row));
    }

    private void put(String row, byte[] count, String fragile) throws IOException {
        region(row).put(new Put(row(row)).addColumn(F, COUNT, count).addColumn(F, FRAGILE, Bytes.toBytes(fragile)));
    }

    /** Creates an index for each scheme and column, and backfills it. */
    private void makeIndexes() throws IOException {
        List<IndexDefinition> indexes = new ArrayList<>();
        for (IndexScheme scheme : IndexScheme.values()) {
            indexes.add(IndexDefinition.builder(TableShape.NAME, "count-" + scheme)
                    .column("f", "count", ColumnTypes.INT)
                    .scheme(scheme)
                    .build());
            indexes.add(IndexDefinition.builder(TableShape.NAME, "fragile-" + scheme)
                    .column("f", "fragile", ColumnTypes.custom(PoisonValueTest.Fragile.class))
                    .scheme(scheme)
                    .build());
        }
        TableDescriptor descriptor = TableShape.VERSIONS_5.bare();
        for (IndexDefinition index : indexes) {
            network.serveIndex(index.indexTable());
            descriptor = IndexDefinitions.with(descriptor, index);
        }
        table.alter(descriptor);
        for (IndexDefinition index : indexes) {
            FillResponse backfilled = table.backfill(index).orElseThrow();
            assertThat(backfilled.getLeftOut()).as(index.name()).isEqualTo(1);
            assertThat(backfilled.getEntries()).as(index.name()).isEqualTo(GOOD.size());
        }
    }

    /** Checks that these rows have an entry, and no others. */
    private void exact(List<String> rows) throws IOException {
        assertThat(table.drain()).isZero();
        for (IndexDefinition index : table.indexes()) {
            var expected = LocalTable.expected(index, table.visible(ALL));
            assertThat(expected).as(index.name()).hasSize(rows.size());
            if (index.scheme().leavesStaleEntries()) {
                assertThat(table.entries(index)).as(index.name()).containsAll(expected);
            } else {
                assertThat(table.entries(index)).as(index.name()).isEqualTo(expected);
            }
        }
    }
}
