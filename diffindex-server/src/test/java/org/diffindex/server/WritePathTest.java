package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.model.SessionChange;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what becomes of a write when one of its steps fails, on a real region. */
class WritePathTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final byte[] COUNT = Bytes.toBytes("count");
    private static final long FAR_AHEAD = 4_000_000_000_000L;

    private final IndexDefinition byCount = IndexDefinition.builder(Flights.TABLE, "by_count")
            .column("f", "count", ColumnTypes.LONG)
            .build();

    @TempDir
    Path folder;

    private LocalRegion local;

    @BeforeEach
    void open() throws IOException {
        local = new LocalRegion(
                folder,
                1,
                List.of(Flights.byOrigin(IndexScheme.SYNC_FULL), Flights.byOrigin(IndexScheme.ASYNC_SESSION), byCount));
    }

    @AfterEach
    void everyIndexIsExactAndNothingHoldsTheFlush() throws IOException {
        assertThat(local.drain()).isZero();
        for (IndexDefinition index : local.indexes()) {
            assertThat(local.indexTable(index).entries()).as(index.name()).isEqualTo(local.expected(index));
        }
        local.region().flush(true);
        local.close();
    }

    @Test
    void reportsAFailedDeliveryAndDeliversLater() throws IOException {
        local.network().failures.failNext(1);
        assertThatThrownBy(() -> local.region().put(put("r", "ORD")))
                .isInstanceOf(IndexUpdateDelayedException.class)
                .hasMessageContaining("the base row is durable and the index will follow")
                .hasMessageContaining("row=r");
    }

    /**
     * A change that the AUQ merges into another is never delivered alone, so nothing else may deliver a part of it to
     * the same index.
     */
    @Test
    void aDelayedWriteAndTheNextOneOfItsRowLeaveOneAsynchronousEntry() throws IOException {
        for (int i = 0; i < 50; i++) {
            String row = "r" + i;
            assertThat(local.drain())
                    .as("updates whose delivery could fail instead")
                    .isZero();
            local.network().failures.failNext(1);
            assertThatThrownBy(() -> local.region().put(put(row, "ORD")))
                    .isInstanceOf(IndexUpdateDelayedException.class);
            local.region().put(put(row, "LAX"));
        }
    }

    @Test
    void anAcknowledgementCoversEarlierWritesOfTheRowThatFailed() throws IOException {
        local.region().put(put("r", "ORD"));
        local.network().failures.outage(true);
        assertThatThrownBy(() -> local.region().put(put("r", "LAX"))).isInstanceOf(IndexUpdateDelayedException.class);
        Waiting.until("the AUQ's backoff takes seconds", () -> local.status().getRetries() >= 6);
        local.network().failures.outage(false);

        local.region().put(put("r", "JFK"));

        IndexDefinition synchronous = Flights.byOrigin(IndexScheme.SYNC_FULL);
        assertThat(local.status().getQueued()).as("queued changes").isPositive();
        assertThat(local.indexTable(synchronous).entries()).isEqualTo(local.expected(synchronous));
    }

    @Test
    void aFlushSpillsTheUpdatesThatTheIndexesLack() throws IOException {
        local.network().failures.outage(true);
        assertThatThrownBy(() -> local.region().put(put("r", "ORD"))).isInstanceOf(IndexUpdateDelayedException.class);
        local.region().flush(true);
        assertThat(local.region().getMemStoreDataSize()).isZero();
        assertThat(local.spillFiles()).hasSize(1);
        local.network().failures.outage(false);
        assertThat(local.drain()).isZero();
        Waiting.until("the file is removed", () -> local.spillFiles().isEmpty());
    }

    @Test
    void reportsThoseRowsOfABatchWhoseIndexUpdatesFailed() throws IOException {
        Put unconcerned = new Put(row("u")).addColumn(F, Bytes.toBytes("carrier"), Bytes.toBytes("UA"));
        local.network().failures.failNext(1);
        OperationStatus[] statuses =
                local.region().batchMutate(new Mutation[] {put("r", "ORD"), unconcerned, put("s", "LAX")});
        assertThat(statuses)
                .extracting(OperationStatus::getOperationStatusCode)
                .containsExactly(OperationStatusCode.FAILURE, OperationStatusCode.SUCCESS, OperationStatusCode.FAILURE);
    }

    @Test
    void aFailedReadForTheAnswerToASessionDelaysIndexUpdatesButLosesNone() throws IOException {
        local.base().failures.failNext(1);
        Delete delete = new Delete(row("r")).addColumns(F, ORIGIN);
        delete.setAttribute(SessionChange.ATTRIBUTE, new byte[0]);
        assertThatThrownBy(() -> local.region().delete(delete)).isInstanceOf(IndexUpdateDelayedException.class);
    }

    /** Another write of the row in the same batch returns its changes to the session. */
    @Test
    void reportsTheRefusalOfAWriteOfASession() throws IOException {
        Put refused = new Put(row("r")).addColumn(F, COUNT, Bytes.toBytes("one"));
        Put ofNoFamily = new Put(row("r")).addColumn(Bytes.toBytes("none"), ORIGIN, Bytes.toBytes("LAX"));
        Mutation[] batch = {refused, ofNoFamily, put("r", "ORD")};
        for (Mutation write : batch) {
            write.setAttribute(SessionChange.ATTRIBUTE, new byte[0]);
        }
        OperationStatus[] statuses = local.region().batchMutate(batch);
        assertThat(statuses)
                .extracting(OperationStatus::getOperationStatusCode)
                .containsExactly(
                        OperationStatusCode.SANITY_CHECK_FAILURE,
                        OperationStatusCode.BAD_FAMILY,
                        OperationStatusCode.SUCCESS);
        assertThat(SessionChange.of(statuses[2].getResult()))
                .extracting(SessionChange::index)
                .containsExactly(Flights.byOrigin(IndexScheme.ASYNC_SESSION).name());
    }

    @Test
    void anIncrementHiddenByATombstoneChangesNoIndex() throws IOException {
        local.region().delete(new Delete(row("r")).addColumns(F, COUNT, FAR_AHEAD));
        local.region().increment(new Increment(row("r")).addColumn(F, COUNT, 1));
        local.region().put(put("r", "ORD"));
    }

    @Test
    void indexesWhatHBaseShowsOfAColumnThatAPutNamesTwice() throws IOException {
        local.region().put(put("r", "ORD").addColumn(F, ORIGIN, Bytes.toBytes("LAX")));
        assertThat(local.indexTable(Flights.byOrigin(IndexScheme.SYNC_FULL)).entries())
                .singleElement()
                .asString()
                .startsWith("LAX");
    }

    @Test
    void leavesOutOnlyTheRefusedPutOfABatch() throws IOException {
        Put refused = new Put(row("r")).addColumn(F, COUNT, Bytes.toBytes("one"));
        OperationStatus[] statuses = local.region().batchMutate(new Mutation[] {refused, put("s", "LAX")});
        assertThat(statuses)
                .extracting(OperationStatus::getOperationStatusCode)
                .containsExactly(OperationStatusCode.SANITY_CHECK_FAILURE, OperationStatusCode.SUCCESS);
        assertThatThrownBy(() -> local.region().put(refused))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was written");
    }

    private static Put put(String row, String origin) {
        return new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes(origin));
    }
}
