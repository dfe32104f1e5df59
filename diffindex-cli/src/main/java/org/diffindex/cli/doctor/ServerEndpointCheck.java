package org.diffindex.cli.doctor;

import java.util.List;
import org.diffindex.client.Coprocessors;

/** Checks whether every region server reports its versions and settings; nothing else is known of one that does not. */
final class ServerEndpointCheck implements Check {
    @Override
    public String name() {
        return "region-servers";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<ServerView> silent = cluster.regionServers().stream()
                .filter(server -> server.inspection().isEmpty())
                .toList();
        if (cluster.regionServers().isEmpty()) {
            return List.of(Finding.problem(this, "no region server is running", "start the region servers"));
        }
        if (silent.isEmpty()) {
            return List.of(Finding.ok(this, "all " + cluster.regionServers().size() + " answer"));
        }
        String names = Groups.names(silent.stream().map(ServerView::shortName).toList());
        return List.of(Finding.warning(
                this,
                "nothing is known of the versions, the settings and the jar of " + names + " ("
                        + silent.get(0).silence() + "); without the jar a server aborts when it opens a region with an"
                        + " index",
                "put diffindex-server's jar on the class path of every region server, set"
                        + " hbase.coprocessor.regionserver.classes to " + Coprocessors.INDEX_SERVER_ENDPOINT
                        + " there, and restart them one after the other"));
    }
}
