package org.diffindex.server;

import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import java.io.IOException;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcUtils;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.protocol.DiffIndexProtos.BuildResponse;
import org.diffindex.protocol.DiffIndexProtos.CheckRequest;
import org.diffindex.protocol.DiffIndexProtos.CheckResponse;
import org.diffindex.protocol.DiffIndexProtos.DefinitionsRequest;
import org.diffindex.protocol.DiffIndexProtos.DefinitionsResponse;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.protocol.DiffIndexProtos.DrainResponse;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.protocol.DiffIndexProtos.RepairRequest;
import org.diffindex.protocol.DiffIndexProtos.RepairResponse;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleRequest;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleResponse;
import org.diffindex.protocol.DiffIndexProtos.StatusRequest;
import org.diffindex.protocol.DiffIndexProtos.StatusResponse;
import org.diffindex.server.build.BuildRequests;

/**
 * The endpoint of one region of a base table: backfills an index, follows and controls its build, drains the AUQ,
 * reports its state, repairs entries, accepts reports of stale ones, confirms present ones, and returns the definitions of
 * the table's indexes.
 */
final class IndexEndpoint extends DiffIndexService {
    static final int MAX_REPAIRS = 10_000;

    private final Supplier<RegionOperations> region;
    private final Supplier<UnloadedIndexes> unloaded;
    private final Supplier<StoredDefinitions> definitions;
    private final Supplier<CallPermissions> permissions;

    /**
     * Creates the endpoint of a region.
     *
     * @param region returns the operations on the region, which exist once it is being opened; null if it has no
     *     indexes
     * @param unloaded returns the replacement for indexes that cannot be loaded; null if they are loaded
     * @param definitions the definitions of the table's indexes
     * @param permissions the checks for the region's table
     */
    IndexEndpoint(
            Supplier<RegionOperations> region,
            Supplier<UnloadedIndexes> unloaded,
            Supplier<StoredDefinitions> definitions,
            Supplier<CallPermissions> permissions) {
        this.region = region;
        this.unloaded = unloaded;
        this.definitions = definitions;
        this.permissions = permissions;
    }

    /** Computes an answer; may fail. */
    @FunctionalInterface
    private interface Answer<T> {
        T get() throws IOException;
    }

    private RegionOperations operations() throws IOException {
        RegionOperations operations = region.get();
        if (unloaded.get() != null) {
            throw unloaded.get().refusal("Nothing was done");
        }
        if (operations == null) {
            StoredDefinitions stored = definitions.get();
            throw stored != null && stored.hasFirstIndex()
                    ? new NotServingRegionException(
                            "The region was opened before its table had an index; nothing was done,"
                                    + " try again when it is opened again")
                    : new DoNotRetryIOException("This region's table has no index, or the region is a replica");
        }
        return operations;
    }

    /** Answers a request that this build understands, of a caller that has one of the permissions. */
    private <T> void answer(
            RpcController controller,
            RpcCallback<T> done,
            String method,
            Message request,
            Action[] anyOf,
            Answer<T> answer) {
        T response = null;
        try {
            permissions.get().require(method, anyOf);
            RequestFields.requireKnown(request);
            response = answer.get();
        } catch (IOException e) {
            CoprocessorRpcUtils.setControllerException(controller, e);
        } catch (RuntimeException e) {
            CoprocessorRpcUtils.setControllerException(
                    controller, new DoNotRetryIOException("Diff-Index failed unexpectedly: " + e, e));
        }
        done.run(response);
    }

    @Override
    public void fill(RpcController controller, FillRequest request, RpcCallback<FillResponse> done) {
        answer(controller, done, "fill", request, CallPermissions.OWNERS, () -> operations()
                .backfill(request));
    }

    @Override
    public void build(RpcController controller, BuildRequest request, RpcCallback<BuildResponse> done) {
        Action[] anyOf = BuildRequests.isOrder(request) ? CallPermissions.OWNERS : CallPermissions.USERS;
        answer(controller, done, "build", request, anyOf, () -> operations().build(request));
    }

    @Override
    public void drain(RpcController controller, DrainRequest request, RpcCallback<DrainResponse> done) {
        answer(controller, done, "drain", request, CallPermissions.WRITERS, () -> operations()
                .drain(request));
    }

    @Override
    public void status(RpcController controller, StatusRequest request, RpcCallback<StatusResponse> done) {
        answer(controller, done, "status", request, CallPermissions.USERS, () -> {
            UnloadedIndexes none = unloaded.get();
            return none == null ? operations().status() : none.status();
        });
    }

    @Override
    public void definitions(
            RpcController controller, DefinitionsRequest request, RpcCallback<DefinitionsResponse> done) {
        answer(controller, done, "definitions", request, CallPermissions.USERS, () -> definitions
                .get()
                .response());
    }

    @Override
    public void repair(RpcController controller, RepairRequest request, RpcCallback<RepairResponse> done) {
        answer(controller, done, "repair", request, CallPermissions.OWNERS, () -> {
            requireWithinBounds(request);
            return operations().repair(request);
        });
    }

    static void requireWithinBounds(RepairRequest request) throws DoNotRetryIOException {
        boolean tooLong = request.getRepairsList().stream()
                .anyMatch(repair -> repair.getRow().size() > HConstants.MAX_ROW_LENGTH
                        || repair.getKey().size() > HConstants.MAX_ROW_LENGTH);
        if (request.getRepairsCount() > MAX_REPAIRS || tooLong) {
            throw new DoNotRetryIOException("Repair refused, nothing was done: one call repairs at most " + MAX_REPAIRS
                    + " entries, of keys of at most " + HConstants.MAX_ROW_LENGTH + " bytes");
        }
    }

    @Override
    public void reportStale(
            RpcController controller, ReportStaleRequest request, RpcCallback<ReportStaleResponse> done) {
        answer(controller, done, "reportStale", request, CallPermissions.USERS, () -> ReportStaleResponse.newBuilder()
                .setAccepted(operations().reportStale(request))
                .build());
    }

    @Override
    public void check(RpcController controller, CheckRequest request, RpcCallback<CheckResponse> done) {
        answer(controller, done, "check", request, CallPermissions.USERS, () -> CheckResponse.newBuilder()
                .setConfirmed(operations().confirmed(request))
                .build());
    }
}
