package org.diffindex.cli.doctor;

import java.util.List;
import java.util.OptionalInt;
import org.apache.hadoop.hbase.HConstants;
import org.diffindex.model.ServerSetting;

/**
 * Checks whether a client waits long enough to be told that an index update failed. Only this client's settings are
 * known.
 */
final class ClientTimeoutCheck implements Check {
    @Override
    public String name() {
        return "client-time-out";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        OptionalInt longest = cluster.regionServers().stream()
                .flatMap(server -> server.inspection().stream())
                .mapToInt(server -> NumericSetting.toInt(server.setting(ServerSetting.DELIVERY_TIMEOUT)))
                .max();
        if (longest.isEmpty()) {
            return List.of();
        }
        int rpc = cluster.client().getInt(HConstants.HBASE_RPC_TIMEOUT_KEY, HConstants.DEFAULT_HBASE_RPC_TIMEOUT);
        int write = cluster.client().getInt(HConstants.HBASE_RPC_WRITE_TIMEOUT_KEY, rpc);
        String state =
                "this client waits " + write + " ms for the answer to a write, and a delivery to an index is tried for "
                        + longest.getAsInt() + " ms";
        return List.of(
                write > longest.getAsInt()
                        ? Finding.ok(this, state)
                        : Finding.warning(
                                this,
                                state
                                        + ": a client gets a timeout instead of the answer that its row is durable and the"
                                        + " index will follow",
                                "in every client, set " + HConstants.HBASE_RPC_TIMEOUT_KEY + " above "
                                        + longest.getAsInt() + ", or lower " + ServerSetting.DELIVERY_TIMEOUT
                                        + " on the region servers"));
    }
}
