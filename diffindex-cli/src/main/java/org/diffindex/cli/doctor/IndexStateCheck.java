package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexState;

/** Checks whether the indexes can be read. */
final class IndexStateCheck implements Check {
    @Override
    public String name() {
        return "index-states";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<Finding> findings = new ArrayList<>();
        List<IndexDefinition> all = cluster.baseTables().stream()
                .flatMap(table -> table.definitions().stream())
                .toList();
        for (IndexDefinition index : all) {
            if (index.state() != IndexState.ACTIVE) {
                findings.add(Finding.problem(
                        this,
                        "index " + index.name() + " of " + index.table() + " is " + index.state()
                                + ": every write maintains it, but it may lack older rows and cannot be read",
                        "unless a create-index is running, resume it with the same create-index, or run:"
                                + " bin/diffindex drop-index " + index.table() + " " + index.name()));
            }
        }
        if (findings.isEmpty() && !all.isEmpty()) {
            findings.add(Finding.ok(this, "all " + all.size() + " indexes are ACTIVE"));
        }
        return findings;
    }
}
