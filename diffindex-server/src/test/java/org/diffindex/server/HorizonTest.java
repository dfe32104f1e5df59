package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.BaseProbe;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.Tally;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the newest timestamp of a client in a region, on a server that did not see it given. If the server assumes an
 * earlier one, it takes a hidden put to be visible; if it assumes a later one, each put makes needless reads.
 */
class HorizonTest {
    private static final long START = 1_700_000_000_000L;
    private static final long HOUR_MS = 3_600_000;
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] G = Bytes.toBytes("g");
    private static final byte[] A = Bytes.toBytes("A");
    private static final byte[] ROW = Bytes.toBytes("row");
    private static final byte[] OTHER = Bytes.toBytes("other");

    @TempDir
    Path folder;

    private ManualClock clock;
    private FakeConnection network;
    private LocalTable table;

    @BeforeEach
    void open() throws IOException {
        clock = ManualClock.install(START);
        network = new FakeConnection(TableShape.VERSIONS_1.bare());
        table = TableShape.VERSIONS_1.openBare(folder, network);
    }

    @AfterEach
    void close() throws IOException {
        table.close();
        clock.close();
    }

    /** Returns the descriptor of a table with an index on A of this name. */
    private TableDescriptor with(String index) throws IOException {
        IndexDefinition definition = IndexDefinition.builder(TableShape.NAME, index)
                .column("f", "A", ColumnTypes.STRING)
                .scheme(IndexScheme.SYNC_FULL)
                .build()
                .withId("id of " + index);
        network.serveIndex(definition.indexTable());
        return IndexDefinitions.with(TableShape.VERSIONS_1.bare(), definition);
    }

    @Test
    void aTombstoneAheadIsKnownAfterAMove() throws IOException {
        table.alter(with("by_a"));
        deleteAhead();
        table.flush();
        table.move();
        aPutIsHidden();
    }

    @Test
    void aTombstoneAheadIsKnownAfterACrash() throws IOException {
        table.alter(with("by_a"));
        deleteAhead();
        table.die();
        table.recover();
        aPutIsHidden();
    }

    /** The first index was not dropped completely, so that what it had recorded remains. */
    @Test
    void aTombstoneAheadFromBetweenTwoIndexesOnTheColumnIsKnown() throws IOException {
        table.alter(with("by_a"));
        put(OTHER, "indexed");
        table.alter(TableShape.VERSIONS_1.bare());
        deleteAhead();
        table.alter(with("by_a2"));
        aPutIsHidden();
    }

    private void deleteAhead() throws IOException {
        clock.move(1);
        table.regionOf(ROW).delete(new Delete(ROW).addColumns(F, A, START + HOUR_MS));
    }

    private void aPutIsHidden() throws IOException {
        clock.move(1);
        put(ROW, "hidden");
        assertThat(table.regionOf(ROW).get(new Get(ROW)).isEmpty()).isTrue();
        table.backfill(table.indexes().iterator().next());
        indexesAgree();
    }

    @Test
    void aTimestampAheadThatWasCompactedAwayCausesNoExtraReadsAfterAMove() throws IOException {
        table.alter(with("by_a"));
        table.regionOf(ROW).put(new Put(ROW).addColumn(F, A, START * 1_000, Bytes.toBytes("microseconds")));
        table.regionOf(ROW).delete(new Delete(ROW).addColumns(F, A, START * 1_000));
        table.drain();
        clock.move(10);
        table.flush();
        put(OTHER, "earlier");
        table.drain();
        clock.move(10);
        table.compact();
        clock.move(10);
        table.move();
        aPutReadsItsRowOnce();
    }

    /** HBase gives a file without cells a time range without an end. */
    @Test
    void aFileWithoutCellsCausesNoExtraReads() throws IOException {
        table.regionOf(ROW).put(new Put(ROW).addColumn(G, A, Bytes.toBytes("gone")));
        table.regionOf(ROW).put(new Put(ROW).addColumn(F, A, Bytes.toBytes("gone")));
        clock.move(1);
        table.regionOf(ROW).delete(new Delete(ROW));
        clock.move(10);
        table.flush();
        table.compact();
        clock.move(10);
        table.alter(with("by_a"));
        aPutReadsItsRowOnce();
    }

    @Test
    void aTimestampAheadInAColumnWithoutIndexCausesNoExtraReadsAfterACrash() throws IOException {
        table.alter(with("by_a"));
        table.regionOf(ROW).put(new Put(ROW).addColumn(F, Bytes.toBytes("B"), START * 1_000, Bytes.toBytes("ahead")));
        put(OTHER, "earlier");
        table.die();
        table.recover();
        table.drain();
        clock.move(10);
        table.move();
        aPutReadsItsRowOnce();
    }

    /** A batch whose other row is no plain put: only that one's timestamps are the client's. */
    @Test
    void aPlainPutBesideAnotherWriteDoesNotRaiseTheHorizon() throws IOException {
        table.alter(with("by_a"));
        put(OTHER, "earlier");
        clock.move(10);
        Mutation past = new Put(ROW).addColumn(F, A, START - HOUR_MS, Bytes.toBytes("past"));
        Mutation plain = new Put(OTHER).addColumn(F, A, Bytes.toBytes("plain"));
        table.regionOf(ROW).batchMutate(new Mutation[] {past, plain});
        assertThat(table.regionOf(ROW)
                        .getCoprocessorHost()
                        .findCoprocessor(IndexObserver.class)
                        .parts()
                        .horizon())
                .isEqualTo(START - HOUR_MS);
    }

    private void aPutReadsItsRowOnce() throws IOException {
        clock.move(1);
        Tally reads = table.regionOf(OTHER).getCoprocessorHost().findCoprocessor(BaseProbe.class).reads;
        long before = reads.own();
        put(OTHER, "plain");
        assertThat(reads.own() - before).isEqualTo(1);
    }

    private void put(byte[] row, String value) throws IOException {
        table.regionOf(row).put(new Put(row).addColumn(F, A, Bytes.toBytes(value)));
    }

    private void indexesAgree() throws IOException {
        assertThat(table.drain()).isZero();
        Map<String, List<Cell>> visible = table.visible(List.of("row", "other"));
        for (IndexDefinition index : table.indexes()) {
            assertThat(table.entries(index)).as(index.name()).isEqualTo(LocalTable.expected(index, visible));
        }
    }
}
