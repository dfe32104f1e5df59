package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.protobuf.generated.ClientProtos.Condition;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.model.SessionChange;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.PathIntoRegion;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests on a real region that a write which waits for an index blocks no other write of its row, whatever locks HBase
 * holds for it.
 */
class HeldRowsTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final byte[] CARRIER = Bytes.toBytes("carrier");

    private final ExecutorService handlers = Executors.newCachedThreadPool();

    @TempDir
    Path folder;

    private LocalRegion local;

    @BeforeEach
    void open() throws IOException {
        local = new LocalRegion(
                folder,
                1,
                List.of(Flights.byOrigin(IndexScheme.SYNC_FULL), Flights.byOrigin(IndexScheme.ASYNC_SESSION)),
                Map.of(Settings.CLOSE_WAIT_MS, "10"),
                PathIntoRegion::with);
    }

    @AfterEach
    void everyIndexIsExactAndNothingHoldsTheFlush() throws IOException {
        local.network().faults.end();
        handlers.shutdownNow();
        if (!local.region().isClosed()) {
            assertThat(local.drain()).isZero();
            for (IndexDefinition index : local.indexes()) {
                assertThat(local.indexTable(index).entries()).as(index.name()).isEqualTo(local.expected(index));
            }
        }
        local.close();
    }

    private static Put put(String row, String origin) {
        return new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes(origin));
    }

    private Future<?> write(PathIntoRegion path) {
        return handlers.submit(() -> {
            path.write(local.region(), List.<Mutation>of(put("r", "ORD")));
            return null;
        });
    }

    @ParameterizedTest
    @EnumSource
    void aWriteThatWaitsForAnIndexBlocksNoOtherWriteOfItsRow(PathIntoRegion path) throws Exception {
        local.network().faults.holdAll();
        Future<?> write = write(path);
        Waiting.until(
                "the write and the APS wait for the index",
                () -> local.network().faults.waiting() == 2);
        Put other = new Put(row("r")).addColumn(F, CARRIER, Bytes.toBytes("UA"));
        handlers.submit(() -> {
                    local.region().put(other);
                    return null;
                })
                .get(20, TimeUnit.SECONDS);
        assertThat(write.isDone()).isFalse();
        local.network().faults.end();
        write.get(20, TimeUnit.SECONDS);
        assertThat(local.indexTable(Flights.byOrigin(IndexScheme.SYNC_FULL)).entries())
                .hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void theNextWriteOfAThreadAfterADelayWaitsForItsIndexUpdates(PathIntoRegion path) throws IOException {
        if (path == PathIntoRegion.BATCH) {
            return; // reports the delay in the status of each write
        }
        local.network().failures.outage(true);
        assertThatThrownBy(() -> path.write(local.region(), List.of(put("r", "ORD"))))
                .isInstanceOf(IndexUpdateDelayedException.class);
        local.network().failures.outage(false);
        local.region().put(put("s", "LAX"));
        assertThat(local.indexTable(Flights.byOrigin(IndexScheme.SYNC_FULL)).entries())
                .anySatisfy(entry -> assertThat(entry).contains("LAX"));
    }

    /** Another coprocessor failed before the hook that reports the end of the write. */
    @Test
    void leavesTheDeferredRestBehindIfTheEndOfItsWriteIsNotReported() throws IOException {
        HeldRows rows = new HeldRows();
        Put first = put("r", "ORD");
        HeldRows.Rest rest = mock(HeldRows.Rest.class);
        rows.operationBegins();
        rows.heldFor(first);
        assertThat(rows.defer(batchOf(first), rest)).isTrue();

        rows.operationBegins();

        verify(rest).abandon();
        rows.operationEnds();
        verify(rest, never()).finish();
    }

    @SuppressWarnings("unchecked") // a mock of a generic type
    private static MiniBatchOperationInProgress<Mutation> batchOf(Mutation write) {
        MiniBatchOperationInProgress<Mutation> batch = mock(MiniBatchOperationInProgress.class);
        when(batch.getOperation(0)).thenReturn(write);
        return batch;
    }

    /** HBase reports the end of a call of an endpoint only if the endpoint throws no RuntimeException. */
    @Test
    void aWriteOfSeveralRowsWaitsForItsIndexAfterAConditionThatCouldNotBeEvaluated() throws IOException {
        local.region().put(put("r", "ORD"));
        assertThat(local.drain()).isZero();
        assertThatThrownBy(() -> PathIntoRegion.writeIf(local.region(), withoutComparison(), List.of(put("r", "LAX"))))
                .isExactlyInstanceOf(RuntimeException.class)
                .hasMessageContaining("NO_OP");
        local.network().faults.hold(); // the APS must not deliver in its place
        PathIntoRegion.MULTI_ROW.write(local.region(), List.of(put("r", "JFK")));
        assertThat(local.indexTable(Flights.byOrigin(IndexScheme.SYNC_FULL)).entries())
                .singleElement()
                .asString()
                .contains("JFK");
    }

    private static Condition withoutComparison() throws IOException {
        return ProtobufUtil.toCondition(
                row("r"), F, ORIGIN, CompareOperator.NO_OP, Bytes.toBytes("ORD"), TimeRange.allTime());
    }

    @Test
    void aFailedCheckDoesNotAffectTheNextWrite() throws IOException {
        local.region().put(put("r", "ORD"));
        assertThat(local.region()
                        .checkAndMutate(CheckAndMutate.newBuilder(row("r"))
                                .ifNotExists(F, ORIGIN)
                                .build(put("r", "LAX")))
                        .isSuccess())
                .isFalse();
        local.region().put(put("r", "JFK"));
        assertThat(local.indexTable(Flights.byOrigin(IndexScheme.SYNC_FULL)).entries())
                .singleElement()
                .asString()
                .contains("JFK");
    }

    @Test
    void aCheckAndMutateReturnsAResultToASession() throws IOException {
        Put put = put("r", "ORD");
        put.setAttribute(SessionChange.ATTRIBUTE, new byte[0]);
        assertThat(local.region()
                        .checkAndMutate(CheckAndMutate.newBuilder(row("r"))
                                .ifNotExists(F, ORIGIN)
                                .build(put))
                        .getResult())
                .isNotNull();
    }

    /**
     * Deferred updates continue without HBase's lock of the region; closing the server's last region closes its
     * connection.
     */
    @Test
    void aRegionThatClosesWhileAWriteWaitsSpillsWhatTheIndexLacks() throws Exception {
        ServerIndexing server = ServerParts.of(local);
        local.network().faults.holdAll();
        Future<?> write = write(PathIntoRegion.CHECK_AND_MUTATE);
        Waiting.until(
                "the write waits for the index", () -> local.network().faults.waiting() > 0);
        handlers.submit(() -> local.region().close()).get(30, TimeUnit.SECONDS);
        assertThat(local.spillFiles()).isNotEmpty();
        assertThatThrownBy(() -> write.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(IndexUpdateDelayedException.class);
        assertThat(local.spillFiles()).isNotEmpty();
        assertThat(server.memory().used()).isZero();
    }

    @Test
    void theRowIsVisibleBeforeTheIndexHasItsEntry() throws Exception {
        local.network().faults.holdAll();
        Future<?> write = write(PathIntoRegion.CHECK_AND_MUTATE);
        Waiting.until(
                "the write waits for the index", () -> local.network().faults.waiting() > 0);
        assertThat(local.region().get(new Get(row("r"))).isEmpty()).isFalse();
        local.network().faults.end();
        write.get(20, TimeUnit.SECONDS);
    }
}
