package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.protocol.DiffIndexProtos.RepairResponse;
import org.diffindex.server.deliver.IndexTableModel;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests writes that are difficult for an index, in every kind of column family and under every scheme, while the clock
 * stands still. The indexes must equal the base, entry by entry, after each test, and again when the server has died
 * and another one has replayed everything.
 */
class MutationMatrixTest {
    private static final long START = 1_700_000_000_000L;
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] A = Bytes.toBytes("A");
    private static final byte[] N = Bytes.toBytes("N");
    private static final byte[] ROW = Bytes.toBytes("r");

    @TempDir
    Path folder;

    private ManualClock clock;
    private FakeConnection network;
    private LocalTable table;

    @BeforeEach
    void stopTheClock() {
        clock = ManualClock.install(START);
    }

    private HRegion open(TableShape shape) throws IOException {
        network = new FakeConnection();
        table = shape.open(folder, clock, network);
        return table.regionOf(ROW);
    }

    @AfterEach
    void theIndexesEqualTheBase() throws IOException {
        try {
            compare();
            table.die();
            clock.move(1_000);
            table.recover();
            compare();
        } finally {
            table.close();
            clock.close();
        }
    }

    private void compare() throws IOException {
        assertThat(table.drain()).isZero();
        Map<String, List<Cell>> visible = table.visible(List.of("r", "s", "t"));
        for (IndexDefinition index : table.indexes()) {
            if (index.scheme().leavesStaleEntries()) {
                assertThat(table.entries(index)).as(index.name()).containsAll(LocalTable.expected(index, visible));
            } else {
                assertThat(table.entries(index)).as(index.name()).isEqualTo(LocalTable.expected(index, visible));
            }
        }
    }

    private static Put put(String value) {
        return put("r", value);
    }

    private static Put put(String row, String value) {
        return new Put(Bytes.toBytes(row)).addColumn(F, A, Bytes.toBytes(value));
    }

    private static Put putAt(long timestamp, String value) {
        return new Put(ROW).addColumn(F, A, timestamp, Bytes.toBytes(value));
    }

    @ParameterizedTest
    @EnumSource
    void indexesAValueThatReturnsWithinOneMillisecond(TableShape shape) throws IOException {
        HRegion region = open(shape);
        for (String value : List.of("A", "B", "A")) {
            region.put(put(value));
        }
        assertThat(visibleValue()).isEqualTo("A");
    }

    @ParameterizedTest
    @EnumSource
    void indexesAThousandUpdatesOfARowInOneMillisecond(TableShape shape) throws IOException {
        HRegion region = open(shape);
        for (int i = 0; i < 1_000; i++) {
            region.put(put("v" + i));
        }
        assertThat(visibleValue()).isEqualTo("v999");
    }

    @ParameterizedTest
    @EnumSource
    void indexesAThousandUpdatesOfARowInOneBatch(TableShape shape) throws IOException {
        open(shape)
                .batchMutate(
                        IntStream.range(0, 1_000).mapToObj(i -> put("v" + i)).toArray(Mutation[]::new));
        assertThat(visibleValue()).isEqualTo("v999");
    }

    /** The base decides which of both wins. */
    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_NONE)
    void indexesPutsAndDeletesAtOneTimestampInEitherOrder(TableShape shape) throws IOException {
        HRegion region = open(shape);
        for (int i = 0; i < 2; i++) {
            region.put(putAt(500, "before"));
            region.delete(new Delete(ROW).addColumn(F, A, 500));
            region.put(putAt(500, "after"));
            region.put(putAt(600, "A"));
            region.delete(new Delete(ROW).addColumns(F, A, 600));
            region.put(putAt(700, "A"));
            region.delete(new Delete(ROW).addFamily(F, 700));
            region.put(putAt(700, "B"));
            region.put(putAt(800, "A"));
            region.delete(new Delete(ROW).addFamilyVersion(F, 800));
            region.put(putAt(800, "B"));
            table.flush();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_NONE)
    void indexesEveryExplicitTimestamp(TableShape shape) throws IOException {
        HRegion region = open(shape);
        for (long timestamp :
                new long[] {0, 1, 1_000, START, START, START - 1, START + 1, START + 86_400_000, Long.MAX_VALUE - 1}) {
            region.put(putAt(timestamp, "A" + timestamp));
            region.put(putAt(timestamp, "B" + timestamp));
            region.put(put("now"));
        }
        assertThat(visibleValue()).isEqualTo("B" + (Long.MAX_VALUE - 1));
        region.delete(new Delete(ROW).addColumn(F, A, Long.MAX_VALUE - 1));
        assertThat(visibleValue()).isNotEqualTo("B" + (Long.MAX_VALUE - 1));
    }

    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_NONE)
    void indexesVersionsThatAreDeletedOneAfterTheOther(TableShape shape) throws IOException {
        HRegion region = open(shape);
        for (int i = 0; i < 7; i++) {
            region.put(put("v" + i));
        }
        for (int i = 0; i < 7; i++) {
            region.delete(new Delete(ROW).addColumn(F, A));
            if (i == 3) {
                table.flush();
                table.compact();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_ALL)
    void rowAndEntryExpireTogether(TableShape shape) throws IOException {
        HRegion region = open(shape);
        region.put(put("A"));
        clock.move(TableShape.TTL_SECONDS * 1_000);
        region.put(put("s", "A"));
        compare();
        assertThat(visibleValue()).isEqualTo("A");
        clock.move(1);
        compare();
        assertThat(visibleValue()).isNull();
        region.put(put("B"));
        compare();
        assertThat(visibleValue()).isEqualTo("B");
    }

    /** The entry is put at the stamp of the repair, which is later than the row's timestamp. */
    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_ALL)
    void rowAndRepairedEntryExpireTogether(TableShape shape) throws IOException {
        HRegion region = open(shape);
        region.put(put("A"));
        assertThat(table.drain()).isZero();
        clock.move(TableShape.TTL_SECONDS * 1_000 / 2);
        for (IndexDefinition index : table.indexes()) {
            RepairResponse unused = table.repair(
                    index, ROW, network.index(index.indexTable()).visible().values());
        }
        compare();
        clock.move(TableShape.TTL_SECONDS * 1_000 / 2);
        compare();
        assertThat(visibleValue()).isEqualTo("A");
        clock.move(1);
        assertThat(visibleValue()).isNull();
        for (IndexDefinition index : table.indexes()) {
            assertThat(table.entries(index)).as(index.name()).isEmpty();
        }
    }

    /** The wrong entry would expire later than its row; when the repaired one has expired, HBase shows it again. */
    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_ALL)
    void aRepairedEntryLeavesNoneThatOutlivesItsRow(TableShape shape) throws IOException {
        HRegion region = open(shape);
        region.put(put("A"));
        assertThat(table.drain()).isZero();
        clock.move(TableShape.TTL_SECONDS * 1_000 / 2);
        for (IndexDefinition index : table.indexes()) {
            IndexTableModel entries = network.index(index.indexTable());
            for (Cell right : entries.visible().values()) {
                entries.apply(index.entryFormat()
                        .put(new IndexEntry(CellUtil.cloneRow(right), right.getTimestamp()), clock.millis()));
            }
        }
        clock.move(1);
        for (IndexDefinition index : table.indexes()) {
            RepairResponse unused = table.repair(
                    index, ROW, network.index(index.indexTable()).visible().values());
        }
        compare();
        clock.move(TableShape.TTL_SECONDS * 1_000 / 2);
        assertThat(visibleValue()).isNull();
        compare();
    }

    /** Writes of another column, which the AUQ merges into one change, change nothing in the index of this one. */
    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_ALL)
    void mergedWritesOfAnotherColumnKeepNoEntryBeyondItsCell(TableShape shape) throws IOException {
        HRegion region = open(shape);
        region.put(put("A"));
        compare();
        clock.move(TableShape.TTL_SECONDS * 1_000 / 2);
        for (long i = 0; i < 20; i++) {
            region.put(new Put(ROW).addColumn(F, N, Bytes.toBytes(i)));
        }
        compare();
        clock.move(TableShape.TTL_SECONDS * 1_000 / 2 + 1);
        assertThat(visibleValue()).isNull();
        compare();
    }

    /**
     * Their timestamps follow that of the previous cell instead of the clock: here they are three milliseconds ahead,
     * and more.
     */
    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_ALL)
    void resultsOfIncrementsAndAppendsExpireWithTheirEntries(TableShape shape) throws IOException {
        HRegion region = open(shape);
        for (String value : List.of("A", "B", "C")) {
            region.put(put(value));
        }
        region.increment(new Increment(ROW).addColumn(F, N, 1));
        region.append(new Append(ROW).addColumn(F, A, Bytes.toBytes("+")));
        region.increment(new Increment(ROW).addColumn(F, N, 1));
        clock.move(3);
        region.append(new Append(Bytes.toBytes("s")).addColumn(F, A, Bytes.toBytes("+")));
        RowMutations both = new RowMutations(Bytes.toBytes("t"));
        both.add(List.of(
                put("t", "A"),
                new Increment(Bytes.toBytes("t")).addColumn(F, N, 7),
                new Append(Bytes.toBytes("t")).addColumn(F, A, Bytes.toBytes("+"))));
        region.mutateRow(both);
        compare();
        assertThat(visibleValue()).isEqualTo("C+");
        clock.move(TableShape.TTL_SECONDS * 1_000 - 10);
        for (int i = 0; i < 30; i++) {
            clock.move(1);
            compare();
        }
        assertThat(visibleValue()).isNull();
    }

    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_ALL)
    void acceptsReplicatedWritesIfCellsExpire(TableShape shape) throws IOException {
        List<UUID> cluster = List.of(new UUID(1, 2));
        HRegion region = open(shape);
        region.put(putAt(START - 20, "A").setClusterIds(cluster));
        compare();
        region.put(putAt(START - 10, "B").setClusterIds(cluster));
        compare();
        region.delete(new Delete(ROW).addColumn(F, A, START - 10).setClusterIds(cluster));
        compare();
        assertThat(visibleValue()).isEqualTo("A");
        region.delete(new Delete(ROW, START - 5).setClusterIds(cluster));
        compare();
        assertThat(visibleValue()).isNull();
    }

    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_ALL)
    void refusesClientsTimestampsAndDeletesOfOneVersionIfCellsExpire(TableShape shape) throws IOException {
        HRegion region = open(shape);
        region.put(put("before"));
        clock.move(5);
        region.put(put("now"));
        RowMutations atomic = new RowMutations(ROW);
        atomic.add(List.of(put("atomic"), new Delete(ROW).addColumns(F, A, 500)));
        CheckAndMutate checked = CheckAndMutate.newBuilder(ROW)
                .ifEquals(F, A, Bytes.toBytes("now"))
                .build(putAt(START + 7, "checked"));
        for (ThrowingCallable write : List.<ThrowingCallable>of(
                () -> region.put(putAt(START - 1, "past")),
                () -> region.put(putAt(START + 9_000, "future")),
                () -> region.delete(new Delete(ROW).addColumn(F, A)),
                () -> region.delete(new Delete(ROW).addColumn(F, A, START + 5)),
                () -> region.delete(new Delete(ROW).addColumns(F, A, START + 5)),
                () -> region.delete(new Delete(ROW).addFamily(F, START + 5)),
                () -> region.delete(new Delete(ROW).addFamilyVersion(F, START + 5)),
                () -> region.delete(new Delete(ROW, START + 5)),
                () -> region.mutateRow(atomic),
                () -> region.checkAndMutate(checked))) {
            assertThatThrownBy(write)
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("nothing was written")
                    .hasMessageContaining("TTL");
        }
        assertThat(visibleValue()).isEqualTo("now");
        region.delete(new Delete(Bytes.toBytes("s")).addColumn(F, Bytes.toBytes("B"), START));
        region.put(new Put(ROW).addColumn(F, Bytes.toBytes("B"), START, Bytes.toBytes("of no index")));
    }

    /** HBase gives such a write the timestamp of the checked cell. */
    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_ALL)
    void refusesACheckOfACellWithAFutureTimestampIfCellsExpire(TableShape shape) throws IOException {
        HRegion region = open(shape);
        byte[] unindexed = Bytes.toBytes("B");
        region.put(new Put(ROW).addColumn(F, unindexed, START + 60_000, Bytes.toBytes("x")));
        CheckAndMutate check = CheckAndMutate.newBuilder(ROW)
                .ifEquals(F, unindexed, Bytes.toBytes("x"))
                .build(put("checked"));
        assertThatThrownBy(() -> region.checkAndMutate(check))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was written");
        assertThat(visibleValue()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void refusesTheTimeToLiveOfACell(TableShape shape) throws IOException {
        HRegion region = open(shape);
        assertThatThrownBy(() -> region.put(put("A").setTTL(1_000)))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was written");
        assertThat(visibleValue()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void indexesIncrementsAndAppendsInOneMillisecond(TableShape shape) throws IOException {
        HRegion region = open(shape);
        for (int i = 0; i < 100; i++) {
            region.increment(new Increment(ROW).addColumn(F, N, 1));
            region.append(new Append(ROW).addColumn(F, A, Bytes.toBytes("+")));
        }
        assertThat(visibleValue()).hasSize(100);
    }

    /** HBase keeps the timestamp if the column has no cell yet; otherwise the previous cell determines it. */
    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_NONE)
    void indexesIncrementsAndAppendsWithAClientsTimestamp(TableShape shape) throws IOException {
        HRegion region = open(shape);
        for (long time : new long[] {999, START, START + 86_400_000}) {
            byte[] row = time == START ? ROW : Bytes.toBytes(time == 999 ? "s" : "t");
            region.append(new Append(row).add(cell(row, A, time, Bytes.toBytes("A"))));
            region.increment(new Increment(row).add(cell(row, N, time, Bytes.toBytes(7L))));
            Result first = region.get(new Get(row));
            assertThat(first.getColumnLatestCell(F, A).getTimestamp()).isEqualTo(time);
            assertThat(first.getColumnLatestCell(F, N).getTimestamp()).isEqualTo(time);
            compare();
            region.append(new Append(row).add(cell(row, A, time, Bytes.toBytes("B"))));
            Result second = region.get(new Get(row));
            assertThat(second.getValue(F, A)).asString().isEqualTo("AB");
            assertThat(second.getColumnLatestCell(F, A).getTimestamp()).isGreaterThan(time);
            compare();
        }
    }

    /** Otherwise the row would expire before or after its entry. */
    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_ALL)
    void anAppendDoesNotKeepAClientsTimestampIfCellsExpire(TableShape shape) throws IOException {
        HRegion region = open(shape);
        region.append(new Append(ROW).add(cell(ROW, A, START - 1, Bytes.toBytes("A"))));
        compare();
        assertThat(region.get(new Get(ROW)).getColumnLatestCell(F, A).getTimestamp())
                .isGreaterThanOrEqualTo(START);
    }

    /** HBase does not check the types of a put's cells: one may be a tombstone. */
    @ParameterizedTest
    @EnumSource(names = "TIME_TO_LIVE.*", mode = EnumSource.Mode.MATCH_NONE)
    void indexesAPutThatHoldsATombstone(TableShape shape) throws IOException {
        HRegion region = open(shape);
        for (KeyValue.Type type : List.of(
                KeyValue.Type.DeleteColumn,
                KeyValue.Type.Delete,
                KeyValue.Type.DeleteFamily,
                KeyValue.Type.DeleteFamilyVersion)) {
            region.put(put("A").addColumn(F, N, Bytes.toBytes(1L)));
            compare();
            boolean isOfFamily = type.getCode() > KeyValue.Type.DeleteColumn.getCode();
            byte[] qualifier = isOfFamily ? new byte[0] : A;
            region.put(new Put(ROW)
                    .addColumn(F, N, Bytes.toBytes(2L))
                    .add(new KeyValue(ROW, F, qualifier, HConstants.LATEST_TIMESTAMP, type)));
            compare();
        }
        region.put(put("A").addColumn(F, N, Bytes.toBytes(1L)));
        for (byte[] qualifier : new byte[][] {A, N}) {
            region.put(new Put(ROW)
                    .add(new KeyValue(ROW, F, qualifier, HConstants.LATEST_TIMESTAMP, KeyValue.Type.DeleteColumn)));
        }
        assertThat(visibleValue()).isNull();
    }

    private static Cell cell(byte[] row, byte[] qualifier, long time, byte[] value) {
        return new KeyValue(row, F, qualifier, time, value);
    }

    /**
     * The client did not receive the answer to the first attempt, and sends the write again, to this server or to the
     * next one.
     */
    @ParameterizedTest
    @EnumSource
    void appliesAnIncrementOrAppendThatIsSentAgainOnce(TableShape shape) throws IOException {
        HRegion region = open(shape);
        region.put(put("A"));
        Increment increment = new Increment(ROW).addColumn(F, N, 5);
        Append append = new Append(ROW).addColumn(F, A, Bytes.toBytes("+"));
        for (int i = 0; i < 3; i++) {
            region.increment(new Increment(increment), 1, 10);
            region.append(new Append(append), 1, 11);
        }
        assertCounted(5, "A+");
        compare();
        table.die();
        clock.move(1);
        table.recover();
        region = table.regionOf(ROW);
        region.increment(new Increment(increment), 1, 10);
        region.append(new Append(append), 1, 11);
        assertCounted(5, "A+");
        compare();
        region.increment(new Increment(increment), 1, 12);
        region.append(new Append(append), 1, 13);
        assertCounted(10, "A++");
    }

    private void assertCounted(long count, String value) throws IOException {
        Result row = table.regionOf(ROW).get(new Get(ROW));
        assertThat(Bytes.toLong(row.getValue(F, N))).isEqualTo(count);
        assertThat(Bytes.toString(row.getValue(F, A))).isEqualTo(value);
    }

    @ParameterizedTest
    @EnumSource
    void appliesAllWritesOfABatchButTheRefusedOnes(TableShape shape) throws IOException {
        HRegion region = open(shape);
        region.put(put("t", "A"));
        OperationStatus[] statuses = region.batchMutate(new Mutation[] {
            put("A"), put("A").setTTL(5), put("s", "x".repeat(40_000)), put("s", "B"), new Delete(Bytes.toBytes("t"))
        });
        assertThat(statuses)
                .extracting(OperationStatus::getOperationStatusCode)
                .containsExactly(
                        OperationStatusCode.SUCCESS,
                        OperationStatusCode.SANITY_CHECK_FAILURE,
                        OperationStatusCode.SANITY_CHECK_FAILURE,
                        OperationStatusCode.SUCCESS,
                        OperationStatusCode.SUCCESS);
    }

    /** Returns what a plain Get shows in column A; null if nothing. */
    private String visibleValue() throws IOException {
        return table.visible(List.of("r")).get("r").stream()
                .filter(cell ->
                        cell.getQualifierLength() == 1 && cell.getQualifierArray()[cell.getQualifierOffset()] == 'A')
                .map(cell -> Bytes.toString(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength()))
                .findFirst()
                .orElse(null);
    }
}
