package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Checks the versions of HBase on the servers that report one. */
final class HBaseVersionCheck implements Check {
    private static final Set<String> TRIED = Set.of("2.6.1", "2.5.13");
    private static final List<String> LINES = List.of("2.6.", "2.5.");
    private static final String SEE = "see docs/compatibility.md for the tested versions";

    @Override
    public String name() {
        return "hbase-version";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        Map<String, List<String>> versions = new TreeMap<>();
        for (ServerView server : cluster.servers()) {
            if (server.hbaseVersion().isEmpty()) {
                continue;
            }
            versions.computeIfAbsent(server.hbaseVersion(), key -> new ArrayList<>())
                    .add(server.shortName());
        }
        List<Finding> findings = new ArrayList<>();
        if (versions.size() > 1) {
            findings.add(Finding.warning(
                    this,
                    "the servers run different versions of HBase: " + Groups.text(versions),
                    "complete the upgrade in progress, or install the same version on all of them"));
        }
        versions.forEach((version, servers) -> findings.add(finding(version, servers)));
        return findings;
    }

    private Finding finding(String version, List<String> servers) {
        String bare = version.replaceFirst("-hadoop3$", "");
        String state = "HBase " + version + " on " + Groups.names(servers);
        if (TRIED.contains(bare)) {
            return Finding.ok(this, state);
        }
        return LINES.stream().anyMatch(bare::startsWith)
                ? Finding.warning(this, state + ", with which Diff-Index was not tested", SEE)
                : Finding.problem(this, state + ", which Diff-Index does not support", SEE);
    }
}
