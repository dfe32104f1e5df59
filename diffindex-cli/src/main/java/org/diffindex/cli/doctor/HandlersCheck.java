package org.diffindex.cli.doctor;

import java.util.List;
import org.diffindex.client.ServerInspection;
import org.diffindex.model.ServerSetting;
import org.diffindex.server.WriteHandlers;

/**
 * Checks whether the region servers have enough handlers: a write to a synchronous index occupies its handler until the
 * index answers.
 */
final class HandlersCheck implements Check {
    private static final int FEW = 10;

    @Override
    public String name() {
        return "handlers";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<ServerView> few = cluster.regionServers().stream()
                .filter(server -> server.inspection()
                        .filter(inspection -> handlers(inspection) < FEW)
                        .isPresent())
                .toList();
        if (cluster.regionServers().stream()
                .allMatch(server -> server.inspection().isEmpty())) {
            return List.of();
        }
        String all =
                ServerSetting.HANDLERS + " is " + Groups.text(Groups.by(cluster.regionServers(), HandlersCheck::state));
        return List.of(
                few.isEmpty()
                        ? Finding.ok(this, all)
                        : Finding.warning(
                                this,
                                all
                                        + ": a write to a synchronous index occupies its handler until the index has answered,"
                                        + " and when half of the handlers wait, further writes are refused",
                                "set " + ServerSetting.HANDLERS + " to 30 or more, or " + ServerSetting.READ_SHARE
                                        + " lower, and restart the region servers"));
    }

    private static String state(ServerInspection server) {
        String all = server.setting(ServerSetting.HANDLERS);
        int writers = handlers(server);
        return writers == NumericSetting.toInt(all) ? all : all + ", of which " + writers + " accept writes,";
    }

    /** Returns the number of handlers that writes can use. */
    private static int handlers(ServerInspection server) {
        return WriteHandlers.count(
                NumericSetting.toInt(server.setting(ServerSetting.HANDLERS)),
                (float) NumericSetting.toDouble(server.setting(ServerSetting.READ_SHARE)),
                (float) NumericSetting.toDouble(server.setting(ServerSetting.QUEUES_PER_HANDLER)));
    }
}
