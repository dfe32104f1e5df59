package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a user's coprocessor that runs after the index's own, on a real region. */
class OtherCoprocessorsTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final IndexDefinition SYNC = Flights.byOrigin(IndexScheme.SYNC_FULL);

    private final ExecutorService handlers = Executors.newCachedThreadPool();

    @TempDir
    Path folder;

    private LocalRegion local;
    private Neighbour neighbour;

    /** An action of the neighbour. */
    @FunctionalInterface
    interface Deed<T> {
        void to(T what) throws IOException;
    }

    /** A coprocessor whose hooks come after the index's, or before them. */
    public static final class Neighbour implements RegionCoprocessor, RegionObserver {
        volatile Deed<MiniBatchOperationInProgress<Mutation>> beforeBatch = batch -> {};
        volatile Deed<Put> beforePut = put -> {};
        volatile Deed<WALEdit> beforeWal = edit -> {};
        volatile Deed<MiniBatchOperationInProgress<Mutation>> inMemstore = batch -> {};
        volatile Deed<Put> afterPut = put -> {};
        volatile Deed<MiniBatchOperationInProgress<Mutation>> afterBatch = batch -> {};

        @Override
        public Optional<RegionObserver> getRegionObserver() {
            return Optional.of(this);
        }

        @Override
        public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
                throws IOException {
            beforePut.to(put);
        }

        @Override
        public void preBatchMutate(
                ObserverContext<RegionCoprocessorEnvironment> context, MiniBatchOperationInProgress<Mutation> batch)
                throws IOException {
            beforeBatch.to(batch);
        }

        @Override
        public void preWALAppend(ObserverContext<RegionCoprocessorEnvironment> context, WALKey key, WALEdit edit)
                throws IOException {
            beforeWal.to(edit);
        }

        @Override
        public void postBatchMutate(
                ObserverContext<RegionCoprocessorEnvironment> context, MiniBatchOperationInProgress<Mutation> batch)
                throws IOException {
            inMemstore.to(batch);
        }

        @Override
        public void postPut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
                throws IOException {
            afterPut.to(put);
        }

        @Override
        public void postBatchMutateIndispensably(
                ObserverContext<RegionCoprocessorEnvironment> context,
                MiniBatchOperationInProgress<Mutation> batch,
                boolean success)
                throws IOException {
            afterBatch.to(batch);
        }
    }

    @BeforeEach
    void open() throws IOException {
        local = new LocalRegion(
                folder,
                1,
                List.of(SYNC, Flights.byOrigin(IndexScheme.SYNC_INSERT), Flights.byOrigin(IndexScheme.ASYNC_SIMPLE)),
                Map.of(),
                OtherCoprocessorsTest::withNeighbour);
        neighbour = local.region().getCoprocessorHost().findCoprocessor(Neighbour.class);
    }

    /** Adds the neighbour, whose hooks come after the index's. */
    static TableDescriptorBuilder withNeighbour(TableDescriptorBuilder table) {
        return withNeighbour(table, Coprocessor.PRIORITY_USER + 1);
    }

    static TableDescriptorBuilder withNeighbour(TableDescriptorBuilder table, int priority) {
        try {
            return table.setCoprocessor(CoprocessorDescriptorBuilder.newBuilder(Neighbour.class.getName())
                    .setPriority(priority)
                    .build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterEach
    void close() throws IOException {
        handlers.shutdownNow();
        local.close();
    }

    private static Put put(String row, String origin) {
        return new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes(origin));
    }

    private void indexesAreExact() throws IOException {
        assertThat(local.drain()).isZero();
        for (IndexDefinition index : local.indexes()) {
            if (index.scheme().leavesStaleEntries()) {
                assertThat(local.indexTable(index).entries()).as(index.name()).containsAll(local.expected(index));
            } else {
                assertThat(local.indexTable(index).entries()).as(index.name()).isEqualTo(local.expected(index));
            }
        }
    }

    @Test
    void doesNotIndexAWriteThatTheNeighbourRefuses() throws IOException {
        local.region().put(put("r", "ORD"));
        neighbour.beforeBatch = batch -> {
            for (int i = 0; i < batch.size(); i++) {
                if (Bytes.equals(batch.getOperation(i).getRow(), row("r"))) {
                    batch.setOperationStatus(i, new OperationStatus(OperationStatusCode.SANITY_CHECK_FAILURE, "no"));
                }
            }
        };
        OperationStatus[] outcome = local.region().batchMutate(new Mutation[] {put("r", "LAX"), put("s", "JFK")});
        assertThat(outcome[0].getOperationStatusCode()).isEqualTo(OperationStatusCode.SANITY_CHECK_FAILURE);
        assertThat(outcome[1].getOperationStatusCode()).isEqualTo(OperationStatusCode.SUCCESS);
        indexesAreExact();
    }

    /** After such a failure HBase calls no later hook of the batch. */
    @Test
    void unlocksTheRowIfTheNeighbourFailsAfterTheWrite() throws Exception {
        neighbour.afterPut = put -> {
            throw new IOException("failed");
        };
        assertThatThrownBy(() -> local.region().put(put("r", "ORD"))).isInstanceOf(IOException.class);
        neighbour.afterPut = put -> {};
        handlers.submit(() -> {
                    local.region().put(put("r", "LAX"));
                    return null;
                })
                .get(20, TimeUnit.SECONDS);
        indexesAreExact();
    }

    @Test
    void aPutByTheNeighbourAfterAWriteDoesNotDelayTheIndexOfThatWrite() throws IOException {
        neighbour.afterPut = put -> {
            if (!Bytes.startsWith(put.getRow(), Bytes.toBytes("audit"))) {
                local.region().put(put("audit", "ORD"));
            }
        };
        local.region().put(put("r", "ORD"));
        assertThat(local.indexTable(SYNC).entries()).isEqualTo(local.expected(SYNC));
        indexesAreExact();
    }

    @Test
    void aPutByTheNeighbourBeforeAWriteDoesNotDisturbThatWrite() throws IOException {
        neighbour.beforeBatch = batch -> {
            if (!Bytes.startsWith(batch.getOperation(0).getRow(), Bytes.toBytes("audit"))) {
                local.region().put(put("audit", "ORD"));
            }
        };
        local.region().put(put("r", "ORD"));
        assertThat(local.indexTable(SYNC).entries()).isEqualTo(local.expected(SYNC));
        indexesAreExact();
    }

    @Test
    void refusesAnIndexedColumnThatTheNeighbourAddsToAWriteThatSkipsTheWal() throws IOException {
        neighbour.beforePut = put -> put.addColumn(F, ORIGIN, Bytes.toBytes("ORD"));
        Put put =
                new Put(row("r")).addColumn(F, Bytes.toBytes("other"), row("x")).setDurability(Durability.SKIP_WAL);
        assertThatThrownBy(() -> local.region().put(put))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was written")
                .hasMessageContaining("SKIP_WAL");
        assertThat(local.region().get(new Get(row("r"))).isEmpty()).isTrue();
        indexesAreExact();
    }

    @Test
    void indexesAColumnThatTheNeighbourAddsToAWrite() throws IOException {
        neighbour.beforePut = put -> put.addColumn(F, ORIGIN, Bytes.toBytes("ORD"));
        local.region().put(new Put(row("r")).addColumn(F, Bytes.toBytes("other"), row("x")));
        assertThat(local.indexTable(SYNC).entries()).isNotEmpty().isEqualTo(local.expected(SYNC));
        indexesAreExact();
    }

    private static Put unindexed(String row) {
        return new Put(row(row)).addColumn(F, Bytes.toBytes("other"), row("x"));
    }

    /** Makes the neighbour add the indexed column in place to the unindexed writes of its batches. */
    private void addOriginInPlace(long timestamp) {
        neighbour.beforeBatch = batch -> {
            for (int i = 0; i < batch.size(); i++) {
                Put put = (Put) batch.getOperation(i);
                if (!put.has(F, ORIGIN)) {
                    put.addColumn(F, ORIGIN, timestamp, Bytes.toBytes("LAX"));
                }
            }
        };
    }

    @Test
    void noticesAnIndexedColumnThatTheNeighbourAddsInPlaceBesideAnotherIndexedWrite() throws IOException {
        addOriginInPlace(System.currentTimeMillis());
        assertThatThrownBy(() -> local.region().batchMutate(new Mutation[] {put("s", "JFK"), unindexed("r")}))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was written");
        assertThat(local.region().get(new Get(row("r"))).isEmpty()).isTrue();
        assertThat(local.region().get(new Get(row("s"))).isEmpty()).isTrue();
        indexesAreExact();
    }

    /** All writes of a row that a batch writes in an indexed column are stamped and indexed together. */
    @ParameterizedTest
    @ValueSource(longs = {1, Long.MAX_VALUE - 1})
    void indexesAColumnThatTheNeighbourAddsInPlaceToAnotherWriteOfTheRow(long timestamp) throws IOException {
        addOriginInPlace(timestamp);
        local.region().batchMutate(new Mutation[] {put("r", "JFK"), unindexed("r")});
        assertThat(local.indexTable(SYNC).entries()).isNotEmpty().isEqualTo(local.expected(SYNC));
        indexesAreExact();
    }

    @Test
    void noticesAnIndexedColumnThatTheNeighbourAddsInPlaceToASingleWrite() throws IOException {
        addOriginInPlace(System.currentTimeMillis());
        assertThatThrownBy(() -> local.region().put(unindexed("r")))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was written");
        indexesAreExact();
    }

    /** HBase shows the newer of the two values, which is not the last one in the put. */
    @Test
    void indexesWhatTheNeighbourChangesInPlaceInAnIndexedWrite() throws IOException {
        neighbour.beforeBatch =
                batch -> ((Put) batch.getOperation(0)).addColumn(F, ORIGIN, 1, Bytes.toBytes("of long ago"));
        local.region().put(put("r", "ORD"));
        local.region().put(put("r", "LAX"));
        assertThat(local.indexTable(SYNC).entries()).isNotEmpty().isEqualTo(local.expected(SYNC));
        indexesAreExact();
    }

    @Test
    void checksWhatTheNeighbourChangesInPlaceInAnIndexedWrite() throws IOException {
        byte[] tooLong = new byte[Short.MAX_VALUE + 1];
        neighbour.beforeBatch =
                batch -> ((Put) batch.getOperation(0)).addColumn(F, ORIGIN, System.currentTimeMillis(), tooLong);
        assertThatThrownBy(() -> local.region().put(put("r", "ORD")))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was written");
        assertThat(local.region().get(new Get(row("r"))).isEmpty()).isTrue();
        indexesAreExact();
    }

    private void checkAndPut(String row, Put put) throws IOException {
        assertThat(local.region()
                        .checkAndMutate(CheckAndMutate.newBuilder(row(row))
                                .ifNotExists(F, Bytes.toBytes("absent"))
                                .build(put))
                        .isSuccess())
                .isTrue();
    }

    private static boolean isOf(String row, MiniBatchOperationInProgress<Mutation> batch) {
        return Bytes.equals(batch.getOperation(0).getRow(), row(row));
    }

    @Test
    void aCheckAndMutateByTheNeighbourAfterAnotherDoesNotDelayTheIndexOfThatOne() throws IOException {
        local.region().put(put("r", "ORD"));
        assertThat(local.drain()).isZero();
        neighbour.afterBatch = batch -> {
            if (isOf("r", batch)) {
                checkAndPut("audit", put("audit", "JFK"));
            }
        };
        local.network().faults.hold(); // the APS must not deliver in its place
        checkAndPut("r", put("r", "LAX"));
        assertThat(local.indexTable(SYNC).entries()).hasSize(2).isEqualTo(local.expected(SYNC));
        local.network().faults.end();
        indexesAreExact();
    }

    /** HBase holds the row until the outer call ends, whatever the neighbour calls before that. */
    @Test
    void aCheckAndMutateByTheNeighbourBeforeAnotherDoesNotMakeThatOneWaitUnderItsLock() throws Exception {
        neighbour.beforeBatch = batch -> {
            if (isOf("r", batch)) {
                checkAndPut("audit", unindexed("audit"));
            }
        };
        local.network().faults.holdAll();
        Future<?> outer = handlers.submit(() -> {
            checkAndPut("r", put("r", "LAX"));
            return null;
        });
        Waiting.until(
                "the write waits for the index", () -> local.network().faults.waiting() > 0);
        handlers.submit(() -> {
                    local.region().delete(new Delete(row("r")).addColumns(F, Bytes.toBytes("other")));
                    return null;
                })
                .get(20, TimeUnit.SECONDS);
        assertThat(outer.isDone()).isFalse();
        local.network().faults.end();
        outer.get(20, TimeUnit.SECONDS);
        indexesAreExact();
    }

    /** The outer batch is not atomic: each of its writes has its own status. */
    @Test
    void theNeighbourLearnsThatTheIndexOfItsCheckAndMutateIsDelayed() throws IOException {
        neighbour.afterPut = put -> {
            if (Bytes.equals(put.getRow(), row("r"))) {
                local.network().failures.outage(true);
                try {
                    checkAndPut("audit", put("audit", "JFK"));
                } finally {
                    local.network().failures.outage(false);
                }
            }
        };
        assertThatThrownBy(() -> local.region().batchMutate(new Mutation[] {unindexed("r"), unindexed("s")}))
                .isInstanceOf(IndexUpdateDelayedException.class)
                .hasMessageContaining("row=audit");
        indexesAreExact();
    }
}
