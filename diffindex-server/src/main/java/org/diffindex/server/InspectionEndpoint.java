package org.diffindex.server;

import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcUtils;
import org.diffindex.protocol.DiffIndexProtos.InspectRequest;
import org.diffindex.protocol.DiffIndexProtos.InspectResponse;
import org.diffindex.protocol.DiffIndexProtos.InspectionService;

/**
 * The endpoint with which a coprocessor reports its server's versions and settings. Requires no permission of the
 * caller. Thread-safe if the given supplier is.
 */
final class InspectionEndpoint extends InspectionService {
    private final Supplier<Inspection> inspection;

    /**
     * Creates the endpoint of a coprocessor.
     *
     * @param inspection returns the report; null until the coprocessor has started
     */
    InspectionEndpoint(Supplier<Inspection> inspection) {
        this.inspection = inspection;
    }

    @Override
    public void inspect(RpcController controller, InspectRequest request, RpcCallback<InspectResponse> done) {
        InspectResponse response = null;
        Inspection now = inspection.get();
        if (now == null) {
            CoprocessorRpcUtils.setControllerException(
                    controller, new DoNotRetryIOException("This coprocessor of Diff-Index is not started yet"));
        } else {
            try {
                response = now.response(request, System.currentTimeMillis());
            } catch (RuntimeException e) {
                CoprocessorRpcUtils.setControllerException(
                        controller, new DoNotRetryIOException("Diff-Index failed unexpectedly: " + e, e));
            }
        }
        done.run(response);
    }
}
