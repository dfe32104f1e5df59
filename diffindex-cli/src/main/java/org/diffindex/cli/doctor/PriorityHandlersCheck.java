package org.diffindex.cli.doctor;

import java.util.List;
import java.util.Map;
import org.diffindex.client.ServerInspection;
import org.diffindex.model.ServerSetting;

/**
 * Checks whether the region servers have handlers for the writes to index tables. These have high priority, so that
 * they never wait for handlers that wait for them. HBase reserves most of the high-priority handlers for reads ({@code
 * MetaRWQueueRpcExecutor}).
 */
final class PriorityHandlersCheck implements Check {
    private static final int FEW = 2;

    @Override
    public String name() {
        return "priority-handlers";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        Map<String, List<String>> handlers = Groups.by(cluster.regionServers(), PriorityHandlersCheck::state);
        if (handlers.isEmpty()) {
            return List.of();
        }
        List<ServerInspection> servers = cluster.regionServers().stream()
                .flatMap(server -> server.inspection().stream())
                .toList();
        String state = "high-priority handlers: " + Groups.text(handlers);
        if (servers.stream().anyMatch(server -> writers(server) == 0)) {
            return List.of(Finding.problem(
                    this,
                    state + "; with none, writes to index tables wait for handlers that wait for them",
                    "set " + ServerSetting.PRIORITY_HANDLERS + " to 20 or more and restart the region servers"));
        }
        return List.of(
                servers.stream().anyMatch(server -> writers(server) < FEW)
                        ? Finding.warning(
                                this,
                                state + "; the index writes of all other servers wait for a single handler",
                                "set " + ServerSetting.PRIORITY_HANDLERS + " to 20 or more, or "
                                        + ServerSetting.PRIORITY_READ_SHARE + " lower, and restart the region servers")
                        : Finding.ok(this, state));
    }

    private static String state(ServerInspection server) {
        return server.setting(ServerSetting.PRIORITY_HANDLERS) + ", of which " + writers(server) + " accept writes,";
    }

    /** Returns the number of handlers for writes, as HBase computes it. */
    static int writers(ServerInspection server) {
        int all = NumericSetting.toInt(server.setting(ServerSetting.PRIORITY_HANDLERS));
        double readShare = NumericSetting.toDouble(server.setting(ServerSetting.PRIORITY_READ_SHARE));
        if (readShare <= 0) {
            return all;
        }
        int both = Math.max(2, all);
        return Math.max(1, both - Math.max(1, (int) Math.round(both * readShare)));
    }
}
