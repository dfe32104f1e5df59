package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MutationProto.MutationType;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALSplitUtil.MutationReplay;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.PathIntoRegion;
import org.diffindex.server.local.PutProcessor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests each path by which writes reach a real region: what HBase applies atomically is refused as a whole, and a late
 * index update is reported as late. Each write of a batch has its own outcome.
 */
class AtomicWritesTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final byte[] COUNT = Bytes.toBytes("count");
    private static final byte[] CARRIER = Bytes.toBytes("carrier");

    private final IndexDefinition byCount = IndexDefinition.builder(Flights.TABLE, "by_count")
            .column("f", "count", ColumnTypes.INT)
            .build();

    @TempDir
    Path folder;

    private LocalRegion local;

    @BeforeEach
    void open() throws IOException {
        local = new LocalRegion(
                folder,
                1,
                List.of(Flights.byOrigin(IndexScheme.SYNC_FULL), byCount),
                Map.of("hbase.regionserver.minibatch.size", "2"),
                PathIntoRegion::with);
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

    private static Put put(String row, String origin) {
        return new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes(origin));
    }

    private static Put refused(String row) {
        return new Put(row(row)).addColumn(F, COUNT, Bytes.toBytes("one"));
    }

    private static Put unconcerned(String row) {
        return new Put(row(row)).addColumn(F, CARRIER, Bytes.toBytes("UA"));
    }

    private boolean isThere(String row) throws IOException {
        return !local.region().get(new Get(row(row))).isEmpty();
    }

    private static List<Mutation> goodAndRefused(PathIntoRegion path) {
        if (path == PathIntoRegion.CHECK_AND_MUTATE) {
            return List.of(refused("r"));
        }
        return List.of(put("r", "ORD"), refused(path.takesSeveralRows ? "s" : "r"), unconcerned("r"));
    }

    @ParameterizedTest
    @EnumSource
    void aRefusedWriteRefusesItsWholeAtomicCall(PathIntoRegion path) throws IOException {
        if (path.isAtomic) {
            assertThatThrownBy(() -> path.write(local.region(), goodAndRefused(path)))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("nothing was written");
            assertThat(isThere("r")).isFalse();
            assertThat(isThere("s")).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDelayedIndexUpdateIsReportedAsDelayed(PathIntoRegion path) throws IOException {
        List<Mutation> writes =
                path.takesSeveralRows ? List.of(put("r", "ORD"), put("s", "LAX")) : List.of(put("r", "ORD"));
        local.network().failures.outage(true);
        try {
            if (path == PathIntoRegion.BATCH) {
                OperationStatus[] statuses = local.region().batchMutate(writes.toArray(Mutation[]::new));
                assertThat(statuses).allSatisfy(status -> assertThat(IndexUpdateDelayedException.isReportedBy(
                                new DoNotRetryIOException(status.getExceptionMsg())))
                        .isTrue());
            } else {
                assertThatThrownBy(() -> path.write(local.region(), writes))
                        .isInstanceOf(IndexUpdateDelayedException.class)
                        .hasMessageContaining("the base row is durable and the index will follow")
                        .hasMessageContaining(path.takesSeveralRows ? "2 rows" : "row=r");
            }
        } finally {
            local.network().failures.outage(false);
        }
        assertThat(isThere("r")).isTrue();
        assertThat(isThere("s")).isEqualTo(path.takesSeveralRows);
    }

    /** HBase splits a batch into parts; an exception in one of them would be reported for all. */
    @Test
    void aRefusedWriteOfALongBatchDoesNotAffectTheOthers() throws IOException {
        OperationStatus[] statuses = local.region()
                .batchMutate(new Mutation[] {put("p", "ORD"), put("q", "ORD"), refused("r"), refused("r")});
        assertThat(statuses)
                .extracting(OperationStatus::getOperationStatusCode)
                .containsExactly(
                        OperationStatusCode.SUCCESS,
                        OperationStatusCode.SUCCESS,
                        OperationStatusCode.SANITY_CHECK_FAILURE,
                        OperationStatusCode.SANITY_CHECK_FAILURE);
        assertThat(statuses[2].getExceptionMsg())
                .startsWith("Of one write of a batch: ")
                .endsWith("[row=r]");
    }

    @Test
    void aDelayedRowOfALongBatchDoesNotAffectTheOthers() throws IOException {
        local.network().failures.failNext(1);
        OperationStatus[] statuses = local.region()
                .batchMutate(new Mutation[] {put("p", "ORD"), unconcerned("p"), unconcerned("q"), put("r", "ORD")});
        assertThat(statuses)
                .extracting(OperationStatus::getOperationStatusCode)
                .containsExactly(
                        OperationStatusCode.FAILURE,
                        OperationStatusCode.FAILURE,
                        OperationStatusCode.SUCCESS,
                        OperationStatusCode.SUCCESS);
    }

    @Test
    void aDelayDoesNotHideTheRefusalOfAnotherWriteOfTheRow() throws IOException {
        local.network().failures.failNext(1);
        OperationStatus[] statuses = local.region().batchMutate(new Mutation[] {refused("r"), put("r", "ORD")});
        assertThat(statuses)
                .extracting(OperationStatus::getOperationStatusCode)
                .containsExactly(OperationStatusCode.SANITY_CHECK_FAILURE, OperationStatusCode.FAILURE);
    }

    @Test
    void aBusyIndexRefusesOnlyTheWritesOfABatchThatConcernIt() throws IOException {
        long all = ServerParts.of(local).memory().limit();
        ServerParts.of(local).memory().reserve(all);
        OperationStatus[] statuses = local.region().batchMutate(new Mutation[] {put("r", "ORD"), unconcerned("s")});
        ServerParts.of(local).memory().release(all);
        assertThat(statuses)
                .extracting(OperationStatus::getOperationStatusCode)
                .containsExactly(OperationStatusCode.STORE_TOO_BUSY, OperationStatusCode.SUCCESS);
        assertThat(isThere("r")).isFalse();
        assertThat(isThere("s")).isTrue();
    }

    @Test
    void refusesARowProcessorThatChangesAnIndexedColumn() throws IOException {
        assertThatThrownBy(() -> local.region().processRowsWithLocks(new PutProcessor(put("r", "ORD"))))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was written");
        assertThat(isThere("r")).isFalse();
        local.region().processRowsWithLocks(new PutProcessor(unconcerned("r")));
        assertThat(isThere("r")).isTrue();
    }

    @Test
    void refusesAReplayForAReplicaThatReachesAnIndexedColumnOfThePrimary() throws IOException {
        MutationReplay replayed =
                new MutationReplay(MutationType.PUT, put("r", "ORD"), HConstants.NO_NONCE, HConstants.NO_NONCE);
        assertThatThrownBy(() -> local.region().batchReplay(new MutationReplay[] {replayed}, 1_000))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was written");
        assertThat(isThere("r")).isFalse();
    }

    @Test
    void refusesAWriteToWhichAnotherCoprocessorAddsAnIndexedColumn() throws IOException {
        HRegion region = local.region();
        region.getCoprocessorHost().load(Adding.class, Integer.MAX_VALUE, region.getReadOnlyConfiguration());
        for (Put put : List.of(unconcerned("r"), put("r", "ORD"))) {
            assertThatThrownBy(() -> region.put(put))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("nothing was written");
            assertThat(isThere("r")).isFalse();
        }
    }

    /** Adds to every write another one of the same row. */
    public static final class Adding implements RegionCoprocessor, RegionObserver {
        @Override
        public Optional<RegionObserver> getRegionObserver() {
            return Optional.of(this);
        }

        @Override
        public void preBatchMutate(
                ObserverContext<RegionCoprocessorEnvironment> context, MiniBatchOperationInProgress<Mutation> batch) {
            for (int i = 0; i < batch.size(); i++) {
                batch.addOperationsFromCP(i, new Mutation[] {
                    new Put(batch.getOperation(i).getRow()).addColumn(F, COUNT, 1, Bytes.toBytes(1))
                });
            }
        }
    }
}
