package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;

/** Checks whether the indexes are built. {@link IndexTablesCheck} reports those that have no table or are dropped. */
final class IndexStateCheck implements Check {
    private static final Optional<IndexState> BUILDING = Optional.of(IndexState.BUILDING);
    private static final Optional<IndexState> ACTIVE = Optional.of(IndexState.ACTIVE);

    /**
     * An index, whether the command can load it or not.
     *
     * @param state what its table tells; empty if it has none
     */
    private record Index(TableName table, String name, Optional<IndexState> state) {}

    @Override
    public String name() {
        return "index-states";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<Finding> findings = new ArrayList<>();
        List<Index> all = cluster.baseTables().stream()
                .flatMap(base -> base.indexNames().stream().map(name -> index(base.name(), name, cluster)))
                .toList();
        for (Index index : all) {
            if (index.state().equals(BUILDING)) {
                findings.add(Finding.problem(
                        this,
                        "index " + index.name() + " of " + index.table() + " is BUILDING"
                                + ": every write maintains it, but it may lack older rows and cannot be read",
                        "the master builds it, unless that is paused or has failed; see: bin/diffindex build status "
                                + index.table() + " " + index.name() + "; then build resume, or drop-index, likewise"));
            }
        }
        if (!all.isEmpty() && all.stream().allMatch(index -> index.state().equals(ACTIVE))) {
            findings.add(Finding.ok(this, "all " + all.size() + " indexes are ACTIVE"));
        }
        return findings;
    }

    private static Index index(TableName table, String name, ClusterView cluster) {
        return new Index(
                table,
                name,
                cluster.indexTable(table, name).map(TableView::descriptor).map(IndexDefinitions::stateOf));
    }
}
