package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.regionserver.SequenceId;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKeyImpl;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSet;
import org.diffindex.server.local.FilledTime;
import org.diffindex.server.local.Flights;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.queue.FlushBarrier;
import org.diffindex.server.queue.PendingBatch;
import org.diffindex.server.queue.QueueMemory;
import org.junit.jupiter.api.Test;

/** Tests a batch's stamps, and the changes of its rows that it reports. */
class MiniBatchTest {
    private static final long NOW = 1_000;
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final byte[] CARRIER = Bytes.toBytes("carrier");

    private final RegionMaintainers maintainers =
            new RegionMaintainers(List.of(Flights.byOrigin(IndexScheme.SYNC_FULL)), (row, sequence) -> List.of());

    private Mutation[] mutations;
    private MiniBatchOperationInProgress<Mutation> operations;
    private boolean expires;

    @Test
    void aPutWithTheServersTimeIsAPlainPutWithItsIndexedCells() throws IOException {
        Put put = served(new Put(row("r"))
                .addColumn(F, ORIGIN, Bytes.toBytes("ORD"))
                .addColumn(F, CARRIER, Bytes.toBytes("UA")));
        RowChange change = onlyChange(put);
        assertThat(change.isPlainPut()).isTrue();
        assertThat(change.plainCells()).hasSize(1);
        assertThat(CellUtil.cloneValue(change.plainCells().get(0))).isEqualTo(Bytes.toBytes("ORD"));
        assertThat(change.plainCells().get(0).getTimestamp()).isEqualTo(NOW);
        assertThat(change.firstStamp()).isEqualTo(NOW);
    }

    @Test
    void indexesTheLastValueOfAColumnThatAPutNamesTwice() throws IOException {
        Put put = served(new Put(row("r"))
                .addColumn(F, ORIGIN, Bytes.toBytes("ORD"))
                .addColumn(F, ORIGIN, Bytes.toBytes("LAX")));
        RowChange change = onlyChange(put);
        assertThat(maintainers.updates(change, maintainers.imagesOf(change), IndexSet.all()))
                .hasSize(1)
                .allSatisfy(update ->
                        assertThat(Bytes.toString(update.mutation().getRow())).startsWith("LAX"));
    }

    @Test
    void allPutsOfARowInABatchHaveOneStamp() throws IOException {
        Mutation[] puts = new Mutation[5_000];
        for (int i = 0; i < puts.length; i++) {
            puts[i] = served(new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD" + i)));
        }
        MiniBatch batch = stamped(puts);
        log(batch);
        RowChange change = batch.changes(maintainers).get(0);
        assertThat(change.firstStamp()).isEqualTo(NOW);
        assertThat(change.lastStamp()).isEqualTo(NOW);
        assertThat(puts).extracting(MiniBatchTest::time).containsOnly(NOW);
    }

    @Test
    void aPutAfterADeleteOfItsColumnInABatchGetsALaterStamp() throws IOException {
        Put first = served(new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD")));
        Delete second = served(new Delete(row("r")).addColumns(F, ORIGIN));
        Put third = served(new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("LAX")));
        Put other = served(new Put(row("s")).addColumn(F, ORIGIN, Bytes.toBytes("LAX")));
        MiniBatch batch = stamped(first, second, other, third);
        log(batch);
        assertThat(List.of(first, second, third, other))
                .extracting(MiniBatchTest::time)
                .containsExactly(NOW, NOW, NOW + 1, NOW);
        RowChange change = batch.changes(maintainers).get(0);
        assertThat(change.isPlainPut()).isFalse();
        assertThat(change.firstStamp()).isEqualTo(NOW);
        assertThat(change.lastStamp()).isEqualTo(NOW + 1);
        assertThat(batch.changes(maintainers)).hasSize(2);
    }

    /** This bounds the stamps of a batch that alternates between puts and deletes. */
    @Test
    void aPutThatALaterDeleteOfTheBatchHidesGetsNoLaterStamp() throws IOException {
        Put first = served(new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD")));
        Delete second = served(new Delete(row("r")).addFamily(F));
        Put third = served(new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("LAX")));
        Put carrier = served(new Put(row("r")).addColumn(F, CARRIER, Bytes.toBytes("UA")));
        Delete fourth = served(new Delete(row("r")).addColumns(F, ORIGIN));
        stamped(first, second, third, carrier, fourth);
        assertThat(List.of(first, second, third, carrier, fourth))
                .extracting(MiniBatchTest::time)
                .containsExactly(NOW, NOW, NOW, NOW + 1, NOW);
    }

    @Test
    void keepsAClientsTimestampAndRaisesTheHorizon() throws IOException {
        Put put = new Put(row("r")).addColumn(F, ORIGIN, NOW + 5, Bytes.toBytes("ORD"));
        RowChange change = onlyChange(put);
        assertThat(put.getFamilyCellMap().get(F).get(0).getTimestamp()).isEqualTo(NOW + 5);
        assertThat(change.isPlainPut()).isFalse();
        assertThat(change.firstStamp()).isEqualTo(NOW);
        RowChange later =
                RowChange.plainPut(row("r"), 9, NOW + 5, List.of(Flights.cell("r", "origin", "LAX", NOW + 5)));
        assertThat(maintainers.imagesOf(later).surelyVisible()).isEmpty();
    }

    @Test
    void aCheckAndMutateAheadOfTheClockKeepsItsTimestamp() throws IOException {
        Put put = new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD"));
        ServerTime.markChecked(put);
        ServerTime.mark(put);
        FilledTime.fill(put, NOW + 500);
        assertThat(onlyChange(put).isPlainPut()).isFalse();
        assertThat(put.getFamilyCellMap().get(F).get(0).getTimestamp()).isEqualTo(NOW + 500);
    }

    @Test
    void aClockThatJumpsBackDuringAWriteDoesNotDateTheWriteAhead() throws IOException {
        Put put = new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD"));
        ServerTime.mark(put);
        FilledTime.fill(put, NOW + 500);
        assertThat(onlyChange(put).isPlainPut()).isTrue();
        assertThat(put.getFamilyCellMap().get(F).get(0).getTimestamp()).isEqualTo(NOW);
    }

    @Test
    void isLoggedOnlyAfterTheAppendToTheWal() throws IOException {
        MiniBatch batch = stamped(served(new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD"))));
        assertThat(batch.isLogged()).isFalse();
        log(batch);
        assertThat(batch.isLogged()).isTrue();
    }

    /** Another coprocessor may refuse the batch after the index's hook, just before the append. */
    @Test
    void isNotLoggedBeforeTheWalHasAssignedItsSequenceNumber() throws IOException {
        MiniBatch batch = stamped(served(new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD"))));
        log(batch, SequenceId.NO_SEQUENCE_ID);
        assertThat(batch.isLogged()).isFalse();
    }

    @Test
    void aPutThatAnotherCoprocessorChangedIsNoPlainPut() throws IOException {
        Put put = served(new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD")));
        MiniBatch batch = stamped(put);
        put.addColumn(F, ORIGIN, 1, Bytes.toBytes("LAX"));
        batch.checkWhatOthersChanged(any -> Optional.empty(), maintainers);
        log(batch);
        RowChange change = batch.changes(maintainers).get(0);
        assertThat(change.isPlainPut()).isFalse();
        assertThat(change.firstStamp()).isEqualTo(NOW);
    }

    @Test
    void aPutThatAnotherCoprocessorDatedIsNoPlainPut() throws IOException {
        Put put = served(new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD")));
        MiniBatch batch = stamped(put);
        FilledTime.fill(put, 1);
        batch.checkWhatOthersChanged(any -> Optional.empty(), maintainers);
        log(batch);
        assertThat(batch.changes(maintainers).get(0).isPlainPut()).isFalse();
    }

    /** HBase adds them to the cells of the write itself. */
    @Test
    void aPutToWhichAnotherCoprocessorAddedUnindexedWritesIsAPlainPut() throws IOException {
        Put put = served(new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD")));
        MiniBatch batch = stamped(put);
        Put added = new Put(row("audit")).addColumn(F, CARRIER, 1, Bytes.toBytes("UA"));
        operations.addOperationsFromCP(0, new Mutation[] {added});
        put.getFamilyCellMap().get(F).addAll(added.getFamilyCellMap().get(F));
        batch.checkWhatOthersChanged(any -> Optional.of("refused"), maintainers);
        log(batch);
        assertThat(batch.changes(maintainers).get(0).isPlainPut()).isTrue();
    }

    @Test
    void checksOnlyWritesThatAnotherCoprocessorChanged() throws IOException {
        Put put = served(new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD")));
        MiniBatch batch = stamped(put);
        batch.checkWhatOthersChanged(any -> Optional.of("refused"), maintainers);
        put.getFamilyCellMap().clear();
        assertThatThrownBy(() -> batch.checkWhatOthersChanged(any -> Optional.of("refused"), maintainers))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessage("refused");
    }

    /** Otherwise the entry would expire at another time than the row. */
    @Test
    void anIndexedCellThatAnotherCoprocessorAddsMustHaveTheStampIfEntriesExpire() throws IOException {
        expires = true;
        Put put = served(new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD")));
        MiniBatch batch = stamped(put);
        put.addColumn(F, CARRIER, 1, Bytes.toBytes("UA")).addColumn(F, ORIGIN, NOW, Bytes.toBytes("JFK"));
        batch.checkWhatOthersChanged(any -> Optional.empty(), maintainers);
        put.addColumn(F, ORIGIN, 1, Bytes.toBytes("LAX"));
        assertThatThrownBy(() -> batch.checkWhatOthersChanged(any -> Optional.empty(), maintainers))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was written");
    }

    private static long time(Mutation mutation) {
        return mutation.getFamilyCellMap().get(F).get(0).getTimestamp();
    }

    private RowChange onlyChange(Mutation mutation) throws IOException {
        MiniBatch batch = stamped(mutation);
        log(batch);
        return batch.changes(maintainers).get(0);
    }

    private MiniBatch stamped(Mutation... mutations) throws IOException {
        OperationStatus[] statuses = new OperationStatus[mutations.length];
        Arrays.fill(statuses, OperationStatus.NOT_RUN);
        MiniBatch batch = new MiniBatch(
                List.of(mutations),
                List.of(),
                any -> expires,
                new PendingBatch(new FlushBarrier().register(), new QueueMemory(1), 0));
        batch.stamp(new RowClock(() -> Instant.ofEpochMilli(NOW)), null, (writes, why) -> {
            throw why;
        });
        this.mutations = mutations;
        operations = new MiniBatchOperationInProgress<>(
                mutations, statuses, new WALEdit[mutations.length], 0, mutations.length, mutations.length);
        batch.isIn(operations);
        return batch;
    }

    private void log(MiniBatch batch) throws IOException {
        log(batch, 7);
    }

    private void log(MiniBatch batch, long sequence) throws IOException {
        WALEdit edit = new WALEdit();
        for (Mutation mutation : mutations) {
            mutation.getFamilyCellMap().values().forEach(cells -> cells.forEach(edit::add));
        }
        batch.logged(
                new WALKeyImpl(row("region"), Flights.TABLE, sequence, 0, HConstants.DEFAULT_CLUSTER_ID),
                edit,
                maintainers);
    }

    /** Prepares a write as HBase passes it to a batch: marked while it has no timestamp, then given one. */
    private static <T extends Mutation> T served(T mutation) throws IOException {
        ServerTime.mark(mutation);
        FilledTime.fill(mutation, NOW - 100);
        return mutation;
    }
}
