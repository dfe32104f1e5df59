package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.sequences.TableShape;
import org.diffindex.server.spill.StampFiles;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the timestamps that the server gives to cells: they are close to its clock however often a row is written,
 * independent for each row, and later than those that the row had before, despite crashes, moves and jumps of clocks.
 */
class ClockBoundTest {
    private static final long START = 1_700_000_000_000L;
    private static final long MOST_AHEAD_MS = 1_000;
    private static final int HOUR_MS = 3_600_000;
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] A = Bytes.toBytes("A");
    private static final byte[] B = Bytes.toBytes("B");
    private static final byte[] N = Bytes.toBytes("N");
    private static final byte[] HOT = Bytes.toBytes("hot");
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
        table = TableShape.VERSIONS_1.open(folder, clock, network);
    }

    @AfterEach
    void close() throws IOException {
        table.close();
        clock.close();
    }

    @Test
    void timestampsOfAHotRowStayCloseToTheClock() throws IOException {
        putMany(HOT, 20, 5_000);
        assertThat(timestamp(HOT)).isBetween(START, START + MOST_AHEAD_MS);
        assertThat(value(HOT)).isEqualTo("19-4999");
        indexesAgree();
    }

    @Test
    void aPutOfAHotRowAfterACrashIsVisible() throws IOException {
        putMany(HOT, 8, 5_000);
        table.die();
        table.recover();
        assertThat(value(HOT)).isEqualTo("7-4999");
        put(HOT, "last");
        assertThat(value(HOT)).isEqualTo("last");
        indexesAgree();
    }

    @Test
    void aHotRowDoesNotAdvanceTheTimestampsOfOtherRows() throws IOException {
        table.split(Bytes.toBytes("m"));
        clock.set(START + 1);
        putMany(HOT, 20, 5_000);
        table.flush();
        table.move();
        put(OTHER, "new");
        assertThat(timestamp(OTHER)).isEqualTo(clock.millis());
        indexesAgree();
    }

    @Test
    void aJumpOfTheClockDoesNotAdvanceTheTimestampsOfOtherRows() throws IOException {
        clock.move(HOUR_MS);
        put(HOT, "of the future");
        clock.move(-HOUR_MS);
        put(OTHER, "at home");
        assertThat(timestamp(OTHER)).isBetween(START, START + MOST_AHEAD_MS);
        table.flush();
        table.move();
        put(Bytes.toBytes("third"), "moved");
        assertThat(timestamp(Bytes.toBytes("third"))).isBetween(clock.millis(), clock.millis() + MOST_AHEAD_MS);
        indexesAgree();
    }

    @Test
    void writesAfterTheClockJumpedBackAreVisible() throws IOException {
        clock.move(HOUR_MS);
        put(HOT, "of the future");
        clock.move(-HOUR_MS);
        writesAreSeen("in the same life");
        clock.move(HOUR_MS);
        put(HOT, "of the future again");
        table.die();
        clock.move(-HOUR_MS);
        table.recover();
        writesAreSeen("after a crash");
        table.flush();
        table.move();
        writesAreSeen("after a move");
        table.die();
        table.recover();
        writesAreSeen("after both");
    }

    @Test
    void aDeleteOfAColumnBesideOneOfTheNewestVersionIsVisible() throws IOException {
        table.regionOf(HOT).put(new Put(HOT).addColumn(F, B, B));
        clock.move(HOUR_MS);
        put(HOT, "of the future");
        clock.move(-HOUR_MS);
        table.regionOf(HOT).delete(new Delete(HOT).addColumn(F, B).addColumns(F, A));
        assertThat(get(HOT).isEmpty()).isTrue();
        indexesAgree();
        put(HOT, "again");
        assertThat(value(HOT)).isEqualTo("again");
        indexesAgree();
    }

    @Test
    void aPutBesideAnOlderVersionOfAClientIsVisible() throws IOException {
        for (int i = 0; i < 5; i++) {
            put(HOT, "value" + i);
        }
        table.regionOf(HOT).put(new Put(HOT).addColumn(F, B, 7, B).addColumn(F, A, Bytes.toBytes("last")));
        assertThat(value(HOT)).isEqualTo("last");
        assertThat(get(HOT).getColumnLatestCell(F, B).getTimestamp()).isEqualTo(7);
        indexesAgree();
    }

    @Test
    void aPutIsNotHiddenByADeleteOfTheNewestVersionBeforeItInABatch() throws IOException {
        table.regionOf(HOT).batchMutate(new Mutation[] {
            new Delete(HOT).addColumn(F, A), new Put(HOT).addColumn(F, A, Bytes.toBytes("new"))
        });
        assertThat(value(HOT)).isEqualTo("new");
        indexesAgree();
    }

    @Test
    void theLastWriteOfARowMutationsWinsWhileTheClockIsBehind() throws IOException {
        clock.move(HOUR_MS);
        put(HOT, "of the future");
        clock.move(1);
        table.flush(); // after which the clock tracks no row, and is behind the stamps of all
        clock.move(-HOUR_MS);
        Append append = new Append(HOT).addColumn(F, A, A);
        table.regionOf(HOT)
                .mutateRow(RowMutations.of(List.of(append, new Put(HOT).addColumn(F, A, Bytes.toBytes("last")))));
        assertThat(value(HOT)).isEqualTo("last");
        indexesAgree();
        table.regionOf(HOT).mutateRow(RowMutations.of(List.of(append, new Delete(HOT).addColumns(F, A))));
        assertThat(get(HOT).isEmpty()).isTrue();
        indexesAgree();
    }

    @Test
    void aCheckedDeleteOfARowKeepsTheTimeThatTheClientGave() throws IOException {
        put(HOT, "newer");
        table.regionOf(HOT)
                .checkAndMutate(CheckAndMutate.newBuilder(HOT)
                        .ifEquals(F, A, Bytes.toBytes("newer"))
                        .build(new Delete(HOT, 5)));
        assertThat(value(HOT)).isEqualTo("newer");
        indexesAgree();
    }

    /** The clocks differ by no more than HBase allows, and no stamp records the difference. */
    @Test
    void aPutIsVisibleOverUnindexedCellsOfAServerWhoseClockWasAhead() throws IOException {
        table.close();
        table = TableShape.VERSIONS_1.openBare(folder.resolve("bare"), network);
        clock.move(20_000);
        put(HOT, "of the other server");
        table.flush();
        clock.move(-20_000);
        table.alter(TableShape.VERSIONS_1.descriptor());
        put(HOT, "new");
        assertThat(value(HOT)).isEqualTo("new");
    }

    /** The cells from which the stamps could be read are gone; tombstones of their entries remain. */
    @Test
    void stampsOfCellsThatWereCompactedAwaySurviveACrash() throws IOException {
        clock.move(HOUR_MS);
        put(HOT, "of the future");
        indexesAgree();
        table.regionOf(HOT).delete(new Delete(HOT));
        indexesAgree();
        clock.move(1);
        table.flush();
        table.compact();
        table.die();
        clock.move(-HOUR_MS);
        table.recover();
        put(HOT, "of the future");
        indexesAgree();
    }

    private void writesAreSeen(String value) throws IOException {
        put(HOT, value);
        assertThat(value(HOT)).isEqualTo(value);
        indexesAgree();
        table.regionOf(HOT).delete(new Delete(HOT));
        assertThat(get(HOT).isEmpty()).isTrue();
        indexesAgree();
        put(HOT, value + " again");
        assertThat(value(HOT)).isEqualTo(value + " again");
        indexesAgree();
    }

    /** The row is written at a client's timestamp, and not flushed, before the index is defined. */
    @ParameterizedTest
    @ValueSource(longs = {100, START + 5_000, START * 1_000})
    void timestampsLoggedBeforeTheIndexAreNotTakenForStamps(long time) throws IOException {
        table.close();
        Path bare = folder.resolve("bare");
        table = TableShape.VERSIONS_1.openBare(bare, network);
        for (String value : List.of("first", "second")) {
            table.regionOf(HOT).put(new Put(HOT).addColumn(F, A, time, Bytes.toBytes(value)));
        }
        table.die();
        table.recover(TableShape.VERSIONS_1.descriptor());
        indexesAgree();
        for (IndexDefinition index : table.indexes()) {
            table.backfill(index);
        }
        indexesAgree();
        put(HOT, "third");
        indexesAgree();
        table.regionOf(HOT).put(new Put(HOT).addColumn(F, A, time, Bytes.toBytes("fourth")));
        indexesAgree();
        table.regionOf(HOT).put(new Put(HOT).addColumn(F, A, time + 9_000, Bytes.toBytes("fifth")));
        indexesAgree();
        table.regionOf(HOT).delete(new Delete(HOT, time + 10_000));
        indexesAgree();
    }

    /**
     * Before the index is defined, the row is written more often than the clock has milliseconds while the writes are
     * replayed.
     */
    @Test
    void aRegionOpensAfterAHotRowWasLoggedBeforeTheIndex() throws IOException {
        table.close();
        table = TableShape.VERSIONS_1.openBare(folder.resolve("bare"), network);
        for (int i = 0; i < MOST_AHEAD_MS + 10; i++) {
            put(HOT, "value" + i);
        }
        table.die();
        clock.move(1);
        table.recover(TableShape.VERSIONS_1.descriptor());
        put(OTHER, "new");
        assertThat(timestamp(OTHER)).isEqualTo(clock.millis());
    }

    /** The unindexed write is in one batch with a write that has a stamp. */
    @ParameterizedTest
    @ValueSource(strings = {"other", "hot"})
    void anUnindexedTimestampBesideAnIndexedWriteIsNotTakenForAStamp(String row) throws IOException {
        openWithAnIndexOfNumbers();
        long time = START * 1_000;
        table.regionOf(HOT).batchMutate(new Mutation[] {
            new Put(HOT).addColumn(F, N, Bytes.toBytes(1L)),
            new Put(Bytes.toBytes(row)).addColumn(F, A, time, Bytes.toBytes("first"))
        });
        table.die();
        table.recover(TableShape.VERSIONS_1.descriptor());
        indexesAgree();
        HRegion region = table.regionOf(HOT);
        assertThat(StampFiles.of(region.getReadOnlyConfiguration(), region.getRegionInfo(), List.of())
                        .find()
                        .orElseThrow()
                        .stamp())
                .isBetween(START, clock.millis() + MOST_AHEAD_MS);
        table.regionOf(HOT).put(new Put(Bytes.toBytes(row)).addColumn(F, A, time + 1, Bytes.toBytes("second")));
        indexesAgree();
    }

    /**
     * The clock of the dead server is ahead of the next one's, and a write from before another index comes first in its
     * WAL.
     */
    @Test
    void aReplayThatGivesNewStampsHonoursTheLoggedOnes() throws IOException {
        openWithAnIndexOfNumbers();
        table.regionOf(OTHER).put(new Put(OTHER).addColumn(F, A, 100, Bytes.toBytes("unindexed")));
        clock.move(HOUR_MS);
        table.regionOf(HOT).put(new Put(HOT).addColumn(F, N, Bytes.toBytes(1L)));
        table.die();
        clock.move(-HOUR_MS);
        table.recover(TableShape.VERSIONS_1.descriptor());
        indexesAgree();
        table.regionOf(HOT).put(new Put(HOT).addColumn(F, N, Bytes.toBytes(2L)));
        assertThat(get(HOT).getValue(F, N)).isEqualTo(Bytes.toBytes(2L));
        indexesAgree();
    }

    private void openWithAnIndexOfNumbers() throws IOException {
        table.close();
        table = TableShape.VERSIONS_1.openBare(folder.resolve("bare"), network);
        IndexDefinition numbers =
                IndexDefinitions.of(TableShape.VERSIONS_1.descriptor()).get("n-sync-full");
        table.alter(IndexDefinitions.with(TableShape.VERSIONS_1.bare(), numbers));
    }

    private void putMany(byte[] row, int batches, int puts) throws IOException {
        for (int i = 0; i < batches; i++) {
            int batch = i;
            Mutation[] mutations = IntStream.range(0, puts)
                    .mapToObj(put -> new Put(row).addColumn(F, A, Bytes.toBytes(batch + "-" + put)))
                    .toArray(Mutation[]::new);
            assertThat(table.regionOf(row).batchMutate(mutations))
                    .extracting(OperationStatus::getOperationStatusCode)
                    .containsOnly(OperationStatusCode.SUCCESS);
        }
    }

    private void put(byte[] row, String value) throws IOException {
        table.regionOf(row).put(new Put(row).addColumn(F, A, Bytes.toBytes(value)));
    }

    private Result get(byte[] row) throws IOException {
        return table.regionOf(row).get(new Get(row));
    }

    private String value(byte[] row) throws IOException {
        return Bytes.toString(CellUtil.cloneValue(get(row).getColumnLatestCell(F, A)));
    }

    private long timestamp(byte[] row) throws IOException {
        return get(row).getColumnLatestCell(F, A).getTimestamp();
    }

    private void indexesAgree() throws IOException {
        assertThat(table.drain()).isZero();
        Map<String, List<org.apache.hadoop.hbase.Cell>> visible = table.visible(List.of("hot", "other", "third"));
        for (IndexDefinition index : table.indexes()) {
            var expected = LocalTable.expected(index, visible);
            if (index.scheme().leavesStaleEntries()) {
                assertThat(table.entries(index)).as(index.name()).containsAll(expected);
            } else {
                assertThat(table.entries(index)).as(index.name()).isEqualTo(expected);
            }
        }
    }
}
