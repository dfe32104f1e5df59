package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;

/** Checks whether the indexes are built. {@link IndexTablesCheck} reports those that have no table or are dropped. */
final class IndexStateCheck implements Check {
    private static final Optional<IndexState> BUILDING = Optional.of(IndexState.BUILDING);
    private static final Optional<IndexState> ACTIVE = Optional.of(IndexState.ACTIVE);

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
            if (stateOf(index, cluster).equals(BUILDING)) {
                findings.add(Finding.problem(
                        this,
                        "index " + index.name() + " of " + index.table() + " is BUILDING"
                                + ": every write maintains it, but it may lack older rows and cannot be read",
                        "unless a create-index is running, resume it with the same create-index, or run:"
                                + " bin/diffindex drop-index " + index.table() + " " + index.name()));
            }
        }
        if (!all.isEmpty()
                && all.stream().allMatch(index -> stateOf(index, cluster).equals(ACTIVE))) {
            findings.add(Finding.ok(this, "all " + all.size() + " indexes are ACTIVE"));
        }
        return findings;
    }

    private static Optional<IndexState> stateOf(IndexDefinition index, ClusterView cluster) {
        return cluster.table(index.indexTable()).map(table -> IndexDefinitions.stateOf(table.descriptor()));
    }
}
