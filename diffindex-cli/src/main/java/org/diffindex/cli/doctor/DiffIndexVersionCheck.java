package org.diffindex.cli.doctor;

import java.util.List;
import java.util.Map;
import org.diffindex.client.ServerInspection;
import org.diffindex.model.DiffIndexVersion;

/** Checks whether all servers and this command have the same version of Diff-Index. */
final class DiffIndexVersionCheck implements Check {
    private static final int SHOWN_DIGITS = 12;
    private static final String ADVICE =
            "install the same diffindex-server jar on all of them and restart those that had"
                    + " another; client and server must have the same version";

    @Override
    public String name() {
        return "diffindex-version";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        Map<String, List<String>> jars = Groups.by(cluster.servers(), DiffIndexVersionCheck::jar);
        if (jars.isEmpty()) {
            return List.of();
        }
        if (jars.size() > 1) {
            return List.of(Finding.problem(this, "the servers have different jars: " + Groups.text(jars), ADVICE));
        }
        String own = DiffIndexVersion.current();
        return cluster.inspections().stream().map(ServerInspection::version).allMatch(own::equals)
                ? List.of(Finding.ok(this, jars.keySet().iterator().next() + " on all servers that answer"))
                : List.of(Finding.problem(
                        this, "this command has version " + own + ", the servers have " + Groups.text(jars), ADVICE));
    }

    private static String jar(ServerInspection server) {
        return server.jarDigest()
                .map(digest -> "version " + server.version() + " (jar " + digest.substring(0, SHOWN_DIGITS) + ")")
                .orElse("version " + server.version());
    }
}
