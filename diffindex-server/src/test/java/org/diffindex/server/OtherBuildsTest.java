package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.protocol.DiffIndexProtos.Repair;
import org.diffindex.protocol.DiffIndexProtos.RepairRequest;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that a region does nothing for a client of a later build that asks for something that the region does not know.
 */
class OtherBuildsTest {
    private static final String LATER = "diffindex.later";
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final byte[] NUMBER = Bytes.toBytes("number");
    private static final byte[] MARK = {1};

    private final IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL);

    @TempDir
    Path folder;

    private LocalRegion local;

    @BeforeEach
    void open() throws IOException {
        local = new LocalRegion(folder, 1, List.of(index));
    }

    @AfterEach
    void close() throws IOException {
        local.close();
    }

    private static Put put(String row) {
        return new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes("ATL"));
    }

    private static Put unindexed(String row) {
        return new Put(row(row)).addColumn(F, NUMBER, MARK);
    }

    private static void refused(ThrowingCallable call, String what) {
        assertThatThrownBy(call)
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining(what)
                .hasMessageContaining(LATER)
                .hasMessageContaining("build of Diff-Index does not know");
    }

    @Test
    void refusesCallsWithUnknownAttributes() throws IOException {
        refused(() -> local.region().put(put("r").setAttribute(LATER, MARK)), "Write refused, nothing was written");
        refused(
                () -> local.region().mutateRow(RowMutations.of(List.of(put("r").setAttribute(LATER, MARK)))),
                "Write refused, nothing was written");
        refused(() -> local.region().get(new Get(row("r")).setAttribute(LATER, MARK)), "Nothing was read");
        IndexObserver observer = local.region().getCoprocessorHost().findCoprocessor(IndexObserver.class);
        refused(() -> observer.preScannerOpen(null, new Scan().setAttribute(LATER, MARK)), "Nothing was read");

        local.region().put(put("s").setAttribute("diffindex-hint", MARK));
        assertThat(local.region().get(new Get(row("r"))).isEmpty()).isTrue();
        assertThat(local.indexTable(index).entries()).hasSize(1).isEqualTo(local.expected(index));
    }

    @Test
    void refusesWritesOfNoIndexWithUnknownAttributes() throws IOException {
        refused(
                () -> local.region().put(unindexed("r").setAttribute(LATER, MARK)),
                "Write refused, nothing was written");
        Put indexed = put("r");
        Delete unknown = new Delete(row("r")).addColumns(F, NUMBER).setAttribute(LATER, MARK);
        refused(
                () -> local.region().mutateRow(RowMutations.of(List.of(indexed, unknown))),
                "Write refused, nothing was written");
        refused(
                () -> local.region()
                        .put(unindexed("r")
                                .setClusterIds(List.of(new UUID(1, 2)))
                                .setAttribute(LATER, MARK)),
                "Write refused, nothing was written");
        refused(
                () -> local.region()
                        .put(put("r").setClusterIds(List.of(new UUID(1, 2))).setAttribute(LATER, MARK)),
                "Write refused, nothing was written");
        assertThat(local.region().get(new Get(row("r"))).isEmpty()).isTrue();
        assertThat(local.indexTable(index).entries()).isEmpty();
    }

    @Test
    void refusesOfABatchOnlyTheWritesWithUnknownAttributes() throws IOException {
        OperationStatus[] statuses = local.region()
                .batchMutate(new Mutation[] {put("r"), unindexed("s").setAttribute(LATER, MARK), unindexed("t")});
        assertThat(Stream.of(statuses).map(OperationStatus::getOperationStatusCode))
                .containsExactly(
                        OperationStatusCode.SUCCESS,
                        OperationStatusCode.SANITY_CHECK_FAILURE,
                        OperationStatusCode.SUCCESS);
        assertThat(statuses[1].getExceptionMsg()).contains(LATER, "nothing was written");
        assertThat(local.region().get(new Get(row("s"))).isEmpty()).isTrue();
        assertThat(local.indexTable(index).entries()).hasSize(1).isEqualTo(local.expected(index));
    }

    /** A coprocessor on a server of the build before may pass on a write with the marks of that server. */
    @Test
    void dropsTheMarksOfServersOfTheBuildBefore() throws IOException {
        Put passedOn = put("r").setAttribute("diffindex.servertime", MARK)
                .setAttribute("diffindex.servertime.f", MARK)
                .setAttribute("diffindex.giventimes", new byte[Long.BYTES]);
        local.region().put(passedOn);
        assertThat(passedOn.getAttributesMap().keySet()).noneMatch(name -> name.startsWith("diffindex."));
        assertThat(local.indexTable(index).entries()).hasSize(1).isEqualTo(local.expected(index));
    }

    private static UnknownFieldSet field(int number) {
        return UnknownFieldSet.newBuilder()
                .addField(
                        number, UnknownFieldSet.Field.newBuilder().addVarint(7).build())
                .build();
    }

    /** Returns why the endpoint refuses to drain, if the request comes as HBase sends it; null if it does not. */
    private IOException refusalOf(DrainRequest request) throws IOException {
        ServerRpcController controller = new ServerRpcController();
        List<Message> responses = new ArrayList<>();
        local.endpoint().drain(controller, DrainRequest.parseFrom(request.toByteArray()), responses::add);
        assertThat(responses).hasSize(1);
        return controller.getFailedOn();
    }

    @Test
    void refusesRequestsWithUnknownFields() throws IOException {
        DrainRequest known = DrainRequest.newBuilder().setTimeoutMs(100).build();
        assertThat(refusalOf(known.toBuilder().setUnknownFields(field(99)).build()))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("Nothing was done: a client of a later build of Diff-Index asks")
                .hasMessageContaining("[request=DrainRequest]");
        assertThat(refusalOf(known)).isNull();
        assertThat(refusalOf(known.toBuilder().setUnknownFields(field(1_000)).build()))
                .as("a field that a server may ignore")
                .isNull();
    }

    @Test
    void refusesFieldsThatAreUnknownInAPartOfARequest() {
        RepairRequest request = RepairRequest.newBuilder()
                .setIndex("i")
                .addRepairs(Repair.newBuilder().setRow(ByteString.copyFromUtf8("r")))
                .addRepairs(
                        Repair.newBuilder().setRow(ByteString.copyFromUtf8("s")).setUnknownFields(field(4)))
                .build();
        assertThatThrownBy(() -> RequestFields.requireKnown(request)).hasMessageContaining("[request=RepairRequest]");
    }
}
