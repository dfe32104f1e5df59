package org.diffindex.cli.doctor;

import java.util.List;
import java.util.Map;
import org.diffindex.client.ServerInspection;
import org.diffindex.model.IndexFormat;

/** Checks whether every server that answers knows the formats of all indexes, and the same formats as the others. */
final class IndexFormatsCheck implements Check {
    private static final String UPGRADE = "upgrade Diff-Index on these servers and restart them";

    @Override
    public String name() {
        return "index-formats";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        Map<String, List<String>> groups = Groups.by(cluster.servers(), server -> "up to " + server.latestFormat());
        if (groups.isEmpty()) {
            return List.of();
        }
        int used = cluster.tables().stream()
                .mapToInt(table -> IndexFormat.namedBy(table.descriptor()))
                .max()
                .orElse(IndexFormat.FIRST);
        List<String> lacking = cluster.servers().stream()
                .filter(server -> server.inspection()
                        .filter(said -> said.latestFormat() < used)
                        .isPresent())
                .map(ServerView::shortName)
                .toList();
        if (!lacking.isEmpty()) {
            return List.of(Finding.problem(
                    this,
                    "an index has format " + used + ", which is not known to " + Groups.names(lacking)
                            + ": a region of its table that moves there refuses writes and reads by index",
                    UPGRADE));
        }
        if (groups.size() > 1) {
            return List.of(Finding.warning(
                    this,
                    "the servers know different formats of indexes: " + Groups.text(groups)
                            + "; no index can get one that not all of them know",
                    UPGRADE));
        }
        return List.of(Finding.ok(
                this,
                "all servers that answer know formats up to "
                        + cluster.inspections().stream()
                                .mapToInt(ServerInspection::latestFormat)
                                .min()
                                .orElseThrow()
                        + "; the latest in use is " + used));
    }
}
