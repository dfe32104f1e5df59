package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import org.diffindex.client.ServerInspection;

/**
 * Checks whether writes to index tables have high priority. HBase finds the class that gives them the priority on the
 * server's class path only, not in a jar that a table names.
 */
final class UrgentWritesCheck implements Check {
    @Override
    public String name() {
        return "urgent-index-writes";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<Finding> findings = new ArrayList<>();
        List<String> common = cluster.regionServers().stream()
                .filter(server -> server.inspection()
                        .filter(inspection -> !inspection.urgentIndexWrites())
                        .isPresent())
                .map(ServerView::shortName)
                .toList();
        List<ServerInspection> answers = cluster.regionServers().stream()
                .flatMap(server -> server.inspection().stream())
                .toList();
        if (!common.isEmpty()) {
            findings.add(Finding.problem(
                    this,
                    "writes to index tables from " + Groups.names(common) + " have normal priority: servers whose"
                            + " handlers all write to each other's indexes wait until they time out",
                    "put diffindex-server's jar on the class path of the region servers, instead of on HDFS, and restart"
                            + " them"));
        } else if (!answers.isEmpty()) {
            findings.add(Finding.ok(this, "writes to index tables have high priority"));
        }
        return findings;
    }
}
