package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.quotas.ActivePolicyEnforcement;
import org.apache.hadoop.hbase.quotas.OperationQuota;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.RSRpcServices;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MutationProto.MutationType;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.RegionActionResult;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.maintain.RowClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mockito.Answers;
import org.mockito.MockMakers;

/** Tests the answer to a client's batch, as HBase's own RSRpcServices creates it, on a real region. */
class RpcBatchTest {
    private static final byte[] COUNT = Bytes.toBytes("count");

    @TempDir
    Path folder;

    private ManualClock clock;
    private LocalRegion local;
    private RSRpcServices rpc;

    @BeforeEach
    void open() throws Exception {
        clock = ManualClock.install(1_700_000_000_000L);
        IndexDefinition byCount = IndexDefinition.builder(Flights.TABLE, "by_count")
                .column("f", "count", ColumnTypes.INT)
                .build();
        local = new LocalRegion(folder, 1, List.of(byCount));
        HRegionServer server = mock(
                HRegionServer.class,
                withSettings().mockMaker(MockMakers.INLINE).defaultAnswer(Answers.RETURNS_DEEP_STUBS));
        when(server.getMetrics()).thenReturn(null);
        rpc = mock(
                RSRpcServices.class,
                withSettings().mockMaker(MockMakers.INLINE).defaultAnswer(Answers.CALLS_REAL_METHODS));
        Field field = RSRpcServices.class.getDeclaredField("regionServer");
        field.setAccessible(true);
        field.set(rpc, server);
    }

    @AfterEach
    void close() throws IOException {
        assertThat(local.drain()).isZero();
        local.close();
        clock.close();
    }

    private static Put put(String row, byte[] count) {
        return new Put(row(row)).addColumn(F, COUNT, count);
    }

    @Test
    void reportsARefusalOnlyForTheRefusedWriteOfABatch() throws Exception {
        RegionActionResult result =
                write("doNonAtomicBatchOp", put("a", Bytes.toBytes(1)), put("b", Bytes.toBytes("one")));
        assertThat(result.getResultOrException(0).hasException()).isFalse();
        assertThat(failure(result, 1))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("Of one write of a batch: Write refused, nothing was written");
        assertThat(isThere("a")).isTrue();
        assertThat(isThere("b")).isFalse();
    }

    @Test
    void refusesAnAtomicBatchAsAWhole() throws Exception {
        assertThatThrownBy(() -> write("doAtomicBatchOp", put("a", Bytes.toBytes(1)), put("a", Bytes.toBytes("one"))))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was written");
        assertThat(isThere("a")).isFalse();
    }

    @Test
    void aClientRecognizesTheLateRowsOfABatch() throws Exception {
        local.network().failures.failNext(1);
        RegionActionResult result =
                write("doNonAtomicBatchOp", put("a", Bytes.toBytes(1)), put("b", Bytes.toBytes("one")));
        assertThat(IndexUpdateDelayedException.isReportedBy(failure(result, 0))).isTrue();
        assertThat(IndexUpdateDelayedException.isReportedBy(failure(result, 1))).isFalse();
        assertThat(isThere("a")).isTrue();
    }

    @Test
    void reportsNoDelayForARowThatNoIndexReads() throws Exception {
        local.network().failures.failNext(1);
        RegionActionResult result = write(
                "doNonAtomicBatchOp",
                put("a", Bytes.toBytes(1)),
                new Put(row("b")).addColumn(F, Bytes.toBytes("note"), Bytes.toBytes("x")));
        assertThat(IndexUpdateDelayedException.isReportedBy(failure(result, 0))).isTrue();
        assertThat(result.getResultOrException(1).hasException()).isFalse();
    }

    @Test
    void refusesOnlyTheRowThatIsWrittenTooOften() throws Exception {
        for (int i = 0; i <= RowClock.MOST_AHEAD_MS; i++) {
            local.region().put(put("hot", Bytes.toBytes(i)));
        }
        RegionActionResult result = write(
                "doNonAtomicBatchOp",
                put("a", Bytes.toBytes(1)),
                put("hot", Bytes.toBytes(-1)),
                put("hot", Bytes.toBytes(-2)),
                put("z", Bytes.toBytes(2)));
        assertThat(result.getResultOrException(0).hasException()).isFalse();
        assertThat(failure(result, 1)).isInstanceOf(RegionTooBusyException.class);
        assertThat(failure(result, 2)).isInstanceOf(RegionTooBusyException.class);
        assertThat(result.getResultOrException(3).hasException()).isFalse();
        assertThat(local.region().get(new Get(row("hot"))).getValue(F, COUNT))
                .isEqualTo(Bytes.toBytes((int) RowClock.MOST_AHEAD_MS));
        assertThatThrownBy(() -> write("doAtomicBatchOp", put("hot", Bytes.toBytes(-1))))
                .isInstanceOf(RegionTooBusyException.class);

        clock.move(RowClock.MOST_AHEAD_MS);
        assertThat(write("doNonAtomicBatchOp", put("hot", Bytes.toBytes(-1)))
                        .getResultOrException(0)
                        .hasException())
                .isFalse();
        IndexDefinition index = local.indexes().iterator().next();
        assertThat(local.drain()).isZero();
        assertThat(local.indexTable(index).entries()).isEqualTo(local.expected(index));
    }

    private boolean isThere(String row) throws IOException {
        return !local.region().get(new Get(row(row))).isEmpty();
    }

    /** Returns the exception that a client makes from the answer. */
    private static Throwable failure(RegionActionResult result, int i) throws IOException {
        return ProtobufUtil.toException(result.getResultOrException(i).getException());
    }

    private RegionActionResult write(String operation, Put... puts) throws Exception {
        List<ClientProtos.Action> actions = new ArrayList<>();
        for (Put put : puts) {
            actions.add(ClientProtos.Action.newBuilder()
                    .setIndex(actions.size())
                    .setMutation(ProtobufUtil.toMutation(MutationType.PUT, put))
                    .build());
        }
        Method method = Arrays.stream(RSRpcServices.class.getDeclaredMethods())
                .filter(each -> each.getName().equals(operation))
                .findFirst()
                .orElseThrow();
        method.setAccessible(true);
        RegionActionResult.Builder result = RegionActionResult.newBuilder();
        List<Object> arguments =
                new ArrayList<>(Arrays.asList(result, local.region(), mock(OperationQuota.class), actions, null));
        if (method.getParameterCount() > arguments.size() + 1) {
            arguments.add(HConstants.NO_NONCE);
        }
        arguments.add(mock(ActivePolicyEnforcement.class, withSettings().defaultAnswer(Answers.RETURNS_DEEP_STUBS)));
        try {
            method.invoke(rpc, arguments.toArray());
        } catch (InvocationTargetException e) {
            throw (Exception) e.getCause();
        }
        return result.build();
    }
}
