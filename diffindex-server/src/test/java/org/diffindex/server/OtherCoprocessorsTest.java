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
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
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
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    /** A coprocessor whose hooks come after the index's. */
    public static final class Neighbour implements RegionCoprocessor, RegionObserver {
        private volatile Deed<MiniBatchOperationInProgress<Mutation>> beforeBatch = batch -> {};
        private volatile Deed<Put> beforePut = put -> {};
        private volatile Deed<Put> afterPut = put -> {};

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
        public void postPut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
                throws IOException {
            afterPut.to(put);
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

    private static TableDescriptorBuilder withNeighbour(TableDescriptorBuilder table) {
        try {
            return table.setCoprocessor(CoprocessorDescriptorBuilder.newBuilder(Neighbour.class.getName())
                    .setPriority(Coprocessor.PRIORITY_USER + 1)
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
}
