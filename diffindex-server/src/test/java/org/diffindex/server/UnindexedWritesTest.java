package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that the last write of a column is visible also where no index reads the column, however the server has dated the
 * other writes of the row. The clock stands still unless a test moves it.
 */
class UnindexedWritesTest {
    private static final long START = 1_700_000_000_000L;
    private static final int MOST_AHEAD_MS = 1_000;
    private static final int HOUR_MS = 3_600_000;
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] A = Bytes.toBytes("A");
    private static final byte[] N = Bytes.toBytes("N");

    /** A column that no index reads. */
    private static final byte[] X = Bytes.toBytes("X");

    private static final byte[] ROW = Bytes.toBytes("row");
    private static final byte[] OTHER = Bytes.toBytes("other");

    @TempDir
    Path folder;

    private ManualClock clock;
    private LocalTable table;

    @BeforeEach
    void open() throws IOException {
        clock = ManualClock.install(START);
        table = TableShape.VERSIONS_1.open(folder, clock, new FakeConnection(TableShape.VERSIONS_1.bare()));
    }

    @AfterEach
    void close() throws IOException {
        table.close();
        clock.close();
    }

    private HRegion region() {
        return table.regionOf(ROW);
    }

    private static Put put(String x) {
        return new Put(ROW).addColumn(F, X, Bytes.toBytes(x));
    }

    private static Put putBoth(String value) {
        return put(value).addColumn(F, A, Bytes.toBytes(value));
    }

    private static Delete delete() {
        return new Delete(ROW).addColumns(F, X);
    }

    /** Dates the row ahead of the clock. */
    private void putOften() throws IOException {
        for (int i = 0; i < 5; i++) {
            region().put(putBoth("x" + i));
        }
    }

    private Result get() throws IOException {
        return region().get(new Get(ROW));
    }

    private String x() throws IOException {
        return Bytes.toString(get().getValue(F, X));
    }

    private long timeOf(byte[] column) throws IOException {
        return get().getColumnLatestCell(F, column).getTimestamp();
    }

    private void indexesAgree() throws IOException {
        assertThat(table.drain()).isZero();
        Map<String, List<Cell>> visible = table.visible(List.of("row", "other"));
        for (IndexDefinition index : table.indexes()) {
            var expected = LocalTable.expected(index, visible);
            if (index.scheme().leavesStaleEntries()) {
                assertThat(table.entries(index)).as(index.name()).containsAll(expected);
            } else {
                assertThat(table.entries(index)).as(index.name()).isEqualTo(expected);
            }
        }
    }

    @Test
    void aPutIsNotHiddenByADeleteOfAnUnindexedColumnBeforeIt() throws IOException {
        region().delete(delete());
        region().put(putBoth("x"));
        assertThat(x()).isEqualTo("x");
        region().delete(delete());
        region().put(put("again"));
        assertThat(x()).isEqualTo("again");
        indexesAgree();
    }

    @Test
    void aPutOfAnUnindexedColumnOfAHotRowIsVisible() throws IOException {
        putOften();
        region().put(put("last"));
        assertThat(x()).isEqualTo("last");
        indexesAgree();
    }

    @Test
    void aDeleteOfAnUnindexedColumnOfAHotRowHidesIt() throws IOException {
        putOften();
        region().delete(delete());
        assertThat(x()).isNull();
        assertThat(get().getValue(F, A)).isEqualTo(Bytes.toBytes("x4"));
        region().put(put("last"));
        assertThat(x()).isEqualTo("last");
        indexesAgree();
    }

    @Test
    void aDeleteOfTheNewestVersionHidesNoPutAfterIt() throws IOException {
        region().delete(new Delete(ROW).addColumn(F, X));
        region().put(putBoth("x"));
        assertThat(x()).isEqualTo("x");
        region().delete(new Delete(ROW).addColumn(F, X));
        assertThat(x()).isNull();
        region().put(put("last"));
        assertThat(x()).isEqualTo("last");
    }

    /** HBase allows a put to contain tombstones. */
    @Test
    void aPutThatDeletesHidesNoPutAfterIt() throws IOException {
        Cell tombstone = delete().getFamilyCellMap().get(F).get(0);
        region().put(new Put(ROW).add(tombstone).addColumn(F, Bytes.toBytes("Y"), A));
        region().put(putBoth("x"));
        assertThat(x()).isEqualTo("x");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, HOUR_MS})
    void theLastWriteOfABatchWins(int behindMs) throws IOException {
        clock.move(behindMs);
        region().put(putBoth("before"));
        clock.move(1);
        table.flush(); // after which the clock tracks no row, and is behind the stamps of all
        clock.move(-behindMs);
        batch(delete(), putBoth("x"));
        assertThat(x()).isEqualTo("x");
        batch(putBoth("hidden"), delete());
        assertThat(x()).isNull();
        batch(delete(), put("unindexed"));
        assertThat(x()).isEqualTo("unindexed");
        batch(new Delete(ROW).addColumn(F, X), putBoth("newest"));
        assertThat(x()).isEqualTo("newest");
        batch(putBoth("x"), put("last"));
        assertThat(x()).isEqualTo("last");
        batch(put("hidden"), new Delete(ROW));
        assertThat(get().isEmpty()).isTrue();
        region().mutateRow(RowMutations.of(List.of(delete(), put("atomic"))));
        assertThat(x()).isEqualTo("atomic");
        region().mutateRow(RowMutations.of(List.of(new Append(ROW).addColumn(F, X, A), put("after an append"))));
        assertThat(x()).isEqualTo("after an append");
        region().mutateRow(RowMutations.of(List.of(new Append(ROW).addColumn(F, X, A), delete())));
        assertThat(x()).isNull();
        indexesAgree();
    }

    private void batch(Mutation... mutations) throws IOException {
        assertThat(region().batchMutate(mutations))
                .extracting(OperationStatus::getOperationStatusCode)
                .containsOnly(OperationStatusCode.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource(names = {"USE_DEFAULT", "SKIP_WAL"})
    void theResultsOfIncrementsAndAppendsAreVisible(Durability durability) throws IOException {
        byte[] y = Bytes.toBytes("Y");
        putOften();
        region().delete(new Delete(ROW).addFamily(F));
        region().increment(new Increment(ROW).addColumn(F, X, 1).setDurability(durability));
        region().append(new Append(ROW).addColumn(F, y, y).setDurability(durability));
        assertThat(get().getValue(F, X)).isEqualTo(Bytes.toBytes(1L));
        assertThat(get().getValue(F, y)).isEqualTo(y);
        region().delete(new Delete(ROW).addColumn(F, X).addColumn(F, y));
        region().increment(new Increment(ROW).addColumn(F, X, 2).setDurability(durability));
        assertThat(get().getValue(F, X)).isEqualTo(Bytes.toBytes(2L));
        assertThat(get().getValue(F, y)).isNull();
    }

    @Test
    void theUnindexedResultOfAnIndexedIncrementIsVisible() throws IOException {
        putOften();
        region().delete(delete());
        region().increment(new Increment(ROW).addColumn(F, N, 1).addColumn(F, X, 1));
        assertThat(get().getValue(F, X)).isEqualTo(Bytes.toBytes(1L));
        region().delete(new Delete(ROW));
        assertThat(get().isEmpty()).isTrue();
        indexesAgree();
    }

    /** HBase dates each increment later than the one before it. */
    @Test
    void aWriteAfterIncrementsIsVisible() throws IOException {
        for (int i = 0; i < 5; i++) {
            region().increment(new Increment(ROW).addColumn(F, X, 1));
        }
        assertThat(get().getValue(F, X)).isEqualTo(Bytes.toBytes(5L));
        region().put(put("last"));
        assertThat(x()).isEqualTo("last");
        region().delete(delete());
        assertThat(x()).isNull();
    }

    /** HBase dates it ahead of the clock without a bound. */
    @Test
    void aHotCounterKeepsOutNoOtherWriteOfItsRow() throws IOException {
        incrementOften(3 * MOST_AHEAD_MS);
        clock.move(1);
        region().put(new Put(ROW).addColumn(F, A, A));
        clock.move(MOST_AHEAD_MS + 1);
        region().put(new Put(ROW).addColumn(F, A, A));
        assertThat(timeOf(A)).isEqualTo(clock.millis());
        assertThat(get().getValue(F, X)).isEqualTo(Bytes.toBytes(3L * MOST_AHEAD_MS));
        indexesAgree();
    }

    /** The counter's time is further ahead than a server's clock may be. */
    @Test
    void aHotCounterDatesNoOtherRowAheadAfterAMove() throws IOException {
        table.close();
        table = TableShape.TIME_TO_LIVE.open(
                folder.resolve("ttl"), clock, new FakeConnection(TableShape.TIME_TO_LIVE.bare()));
        incrementOften(32 * MOST_AHEAD_MS);
        table.flush();
        table.move();
        clock.move(MOST_AHEAD_MS + 1);
        table.regionOf(OTHER).put(new Put(OTHER).addColumn(F, A, A));
        assertThat(region().get(new Get(OTHER)).rawCells()[0].getTimestamp()).isEqualTo(clock.millis());
    }

    private void incrementOften(int increments) throws IOException {
        for (int i = 0; i < increments; i++) {
            region().increment(new Increment(ROW).addColumn(F, X, 1).setDurability(Durability.SKIP_WAL));
        }
    }

    @Test
    void theTimestampsOfAClientAreKept() throws IOException {
        putOften();
        region().put(new Put(ROW).addColumn(F, X, START + 9, A));
        assertThat(timeOf(X)).isEqualTo(START + 9);
        region().put(new Put(ROW).addColumn(F, X, 5, Bytes.toBytes("hidden")));
        region().delete(new Delete(ROW).addColumns(F, X, START + 9));
        assertThat(x()).isNull();
        region().put(new Put(ROW).addColumn(F, N, 7, Bytes.toBytes(1L)).addColumn(F, X, Bytes.toBytes("x")));
        assertThat(timeOf(N)).isEqualTo(7);
        region().increment(new Increment(ROW).setTimestamp(8).addColumn(F, Bytes.toBytes("Y"), 1));
        assertThat(timeOf(Bytes.toBytes("Y"))).isEqualTo(8);
    }

    @Test
    void aRowThatIsNotDatedAheadIsLeftToHBase() throws IOException {
        region().put(put("x"));
        region().put(put("y"));
        region().put(putBoth("z"));
        region().put(put("last"));
        assertThat(timeOf(X)).isEqualTo(START);
        putOften();
        table.regionOf(OTHER).put(new Put(OTHER).addColumn(F, X, A));
        assertThat(region().get(new Get(OTHER)).rawCells()[0].getTimestamp()).isEqualTo(START);
        clock.move(MOST_AHEAD_MS);
        region().put(put("later"));
        assertThat(timeOf(X)).isEqualTo(clock.millis());
    }

    @Test
    void putsAndDeletesDoNotUseUpTheStampsOfTheirRow() throws IOException {
        putOften();
        long last = timeOf(A);
        for (int i = 0; i < 2 * MOST_AHEAD_MS; i++) {
            region().put(put("x" + i));
        }
        assertThat(timeOf(X)).isEqualTo(last);
        for (int i = 0; i < 2 * MOST_AHEAD_MS; i++) {
            region().delete(delete());
        }
        region().put(putBoth("last"));
        assertThat(timeOf(A)).isEqualTo(last + 1);
        assertThat(x()).isEqualTo("last");
        indexesAgree();
    }

    @Test
    void onlyAPutOfWhatWasJustDeletedIsRefusedForTheRateOfItsRow() throws IOException {
        for (int i = 0; i <= MOST_AHEAD_MS; i++) {
            region().put(putBoth("x" + i));
        }
        assertThatThrownBy(() -> region().put(putBoth("refused"))).isInstanceOf(RegionTooBusyException.class);
        region().put(put("last"));
        assertThat(x()).isEqualTo("last");
        region().delete(delete());
        assertThat(x()).isNull();
        assertThatThrownBy(() -> region().put(put("refused")))
                .isInstanceOf(RegionTooBusyException.class)
                .hasMessageContaining("nothing was written, try again later [row=row]");
        assertThat(x()).isNull();
        clock.move(1);
        region().put(put("again"));
        assertThat(x()).isEqualTo("again");
        indexesAgree();
    }

    @Test
    void theUnindexedWritesOfARefusedRowAreRefusedWithTheRestOfIt() throws IOException {
        for (int i = 0; i <= MOST_AHEAD_MS; i++) {
            region().put(putBoth("x" + i));
        }
        OperationStatus[] outcome =
                region().batchMutate(new Mutation[] {putBoth("refused"), delete(), new Put(OTHER).addColumn(F, A, A)});
        assertThat(outcome)
                .extracting(OperationStatus::getOperationStatusCode)
                .containsExactly(
                        OperationStatusCode.STORE_TOO_BUSY,
                        OperationStatusCode.STORE_TOO_BUSY,
                        OperationStatusCode.SUCCESS);
        assertThat(x()).isEqualTo("x" + MOST_AHEAD_MS);
        indexesAgree();
    }

    @Test
    void writesAfterTheClockJumpedBackAreVisible() throws IOException {
        clock.move(HOUR_MS);
        region().put(putBoth("of the future"));
        clock.move(-HOUR_MS);
        writesAreSeen();
        assertThat(timeOf(X)).isBetween(START + HOUR_MS, START + HOUR_MS + 10);
        table.flush();
        table.move();
        writesAreSeen();
    }

    /** Only a write that concerns no index has been dated by the clock before its jump. */
    @Test
    void anIndexedWriteAfterTheClockJumpedBackIsVisible() throws IOException {
        clock.move(HOUR_MS);
        region().put(put("of the future"));
        clock.move(-HOUR_MS);
        region().put(putBoth("x"));
        assertThat(x()).isEqualTo("x");
        assertThat(timeOf(A)).isEqualTo(START + HOUR_MS);
        table.regionOf(OTHER).put(new Put(OTHER).addColumn(F, A, A));
        assertThat(region().get(new Get(OTHER)).rawCells()[0].getTimestamp()).isEqualTo(START);
        indexesAgree();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void writesAfterACrashAreVisibleIfTheNextClockIsBehind(boolean isBesideAnIndexedRow) throws IOException {
        Put other = new Put(OTHER).addColumn(F, A, A);
        for (int i = 0; i < 5; i++) {
            region().delete(delete());
            if (isBesideAnIndexedRow) {
                batch(other, put("x" + i));
            } else {
                region().put(put("x" + i));
            }
        }
        table.die();
        clock.move(-MOST_AHEAD_MS);
        table.recover();
        assertThat(x()).isEqualTo("x4");
        writesAreSeen();
    }

    private void writesAreSeen() throws IOException {
        region().put(put("first"));
        assertThat(x()).isEqualTo("first");
        region().delete(delete());
        assertThat(x()).isNull();
        region().put(put("second"));
        assertThat(x()).isEqualTo("second");
        region().increment(new Increment(ROW).addColumn(F, Bytes.toBytes("Y"), 1));
        assertThat(get().containsColumn(F, Bytes.toBytes("Y"))).isTrue();
        region().delete(new Delete(ROW).addColumns(F, Bytes.toBytes("Y")));
        region().put(putBoth("third"));
        assertThat(x()).isEqualTo("third");
        region().delete(new Delete(ROW));
        assertThat(get().isEmpty()).isTrue();
        region().put(put("fourth"));
        assertThat(x()).isEqualTo("fourth");
        region().append(new Append(ROW).addColumn(F, X, A));
        assertThat(x()).isEqualTo("fourthA");
        indexesAgree();
    }

    @Test
    void aCheckedWriteOfAHotRowIsVisible() throws IOException {
        putOften();
        CheckAndMutate.Builder check =
                CheckAndMutate.newBuilder(ROW).ifMatches(F, A, CompareOperator.EQUAL, Bytes.toBytes("x4"));
        assertThat(region().checkAndMutate(check.build(put("checked"))).isSuccess())
                .isTrue();
        assertThat(x()).isEqualTo("checked");
        region().delete(delete());
        assertThat(region().checkAndMutate(check.build(put("checked"))).isSuccess())
                .isTrue();
        assertThat(x()).isEqualTo("checked");
    }
}
