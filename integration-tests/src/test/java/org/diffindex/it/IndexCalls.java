package org.diffindex.it;

import com.google.protobuf.ByteString;
import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.protocol.DiffIndexProtos.CheckRequest;
import org.diffindex.protocol.DiffIndexProtos.DefinitionsRequest;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.Repair;
import org.diffindex.protocol.DiffIndexProtos.RepairRequest;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleRequest;
import org.diffindex.protocol.DiffIndexProtos.StaleEntry;
import org.diffindex.protocol.DiffIndexProtos.StatusRequest;

/** The calls that a region of a base table answers, each with a request that changes no row and no entry. */
final class IndexCalls {
    /** The names of the calls; Order is a call of Build that requires more than the others. */
    static final List<String> ALL =
            List.of("Build", "Check", "Definitions", "Drain", "Fill", "Order", "Repair", "ReportStale", "Status");

    private static final String ROW = "p";

    private IndexCalls() {}

    /** Calls the region of {@value #ROW} for an index; returns the answer. */
    static Object call(String call, Table base, IndexDefinition index) throws IOException, ServiceException {
        DiffIndexService.BlockingInterface service =
                DiffIndexService.newBlockingStub(base.coprocessorService(Bytes.toBytes(ROW)));
        ByteString row = ByteString.copyFromUtf8(ROW);
        return switch (call) {
            case "Build" -> service.build(null, buildRequest(index).build());
            case "Order" ->
                service.build(null, buildRequest(index).setPaused(false).build());
            case "Check" ->
                service.check(
                        null,
                        CheckRequest.newBuilder()
                                .setIndex(index.name())
                                .setIndexId(index.id())
                                .build());
            case "Definitions" -> service.definitions(null, DefinitionsRequest.getDefaultInstance());
            case "Drain" ->
                service.drain(null, DrainRequest.newBuilder().setTimeoutMs(1).build());
            case "Fill" ->
                service.fill(
                        null,
                        FillRequest.newBuilder()
                                .setIndex(index.name())
                                .setIndexId(index.id())
                                .setMaxRows(10)
                                .build());
            case "Repair" ->
                service.repair(
                        null,
                        RepairRequest.newBuilder()
                                .setIndex(index.name())
                                .setIndexId(index.id())
                                .addRepairs(Repair.newBuilder().setRow(row))
                                .build());
            case "ReportStale" ->
                service.reportStale(
                        null,
                        ReportStaleRequest.newBuilder()
                                .setIndex(index.name())
                                .setIndexId(index.id())
                                .addEntries(StaleEntry.newBuilder()
                                        .setRow(row)
                                        .setKey(ByteString.copyFromUtf8("nowhere"))
                                        .setStamp(1))
                                .build());
            case "Status" -> service.status(null, StatusRequest.getDefaultInstance());
            default -> throw new AssertionError(call);
        };
    }

    private static BuildRequest.Builder buildRequest(IndexDefinition index) {
        return BuildRequest.newBuilder().setIndex(index.name()).setIndexId(index.id());
    }
}
