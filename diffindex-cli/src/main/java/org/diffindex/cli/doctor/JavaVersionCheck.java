package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;

/**
 * Checks the versions of Java that run the servers. Below 17 no class of Diff-Index can be loaded, and the server does
 * not answer.
 */
final class JavaVersionCheck implements Check {
    private static final int TRIED = 17;

    @Override
    public String name() {
        return "java-version";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<Finding> findings = new ArrayList<>();
        Groups.by(cluster.servers(), server -> server.javaVersion()).forEach((version, servers) -> {
            String state = "Java " + version + " on " + Groups.names(servers);
            findings.add(
                    Runtime.Version.parse(version).feature() == TRIED
                            ? Finding.ok(this, state)
                            : Finding.warning(
                                    this,
                                    state + ", with which Diff-Index was not tested",
                                    "run the servers with Java " + TRIED));
        });
        return findings;
    }
}
