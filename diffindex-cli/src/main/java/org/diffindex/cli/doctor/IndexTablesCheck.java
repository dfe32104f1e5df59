package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;

/** Checks whether each index has its table, enabled, and each index table belongs to an index. */
final class IndexTablesCheck implements Check {
    @Override
    public String name() {
        return "index-tables";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<Finding> findings = new ArrayList<>();
        for (TableView base : cluster.baseTables()) {
            if (!base.enabled()) {
                findings.add(Finding.warning(
                        this,
                        "table " + base.name() + " is disabled; its regions were not examined",
                        "enable it if it is needed"));
            }
            base.definitions().values().forEach(index -> check(index, cluster).ifPresent(findings::add));
        }
        cluster.indexTables().forEach(table -> checkOwner(table, cluster).ifPresent(findings::add));
        if (findings.isEmpty() && !cluster.indexTables().isEmpty()) {
            findings.add(Finding.ok(
                    this,
                    "all " + cluster.indexTables().size() + " index tables are enabled and belong to their indexes"));
        }
        return findings;
    }

    private Optional<Finding> check(IndexDefinition index, ClusterView cluster) {
        Optional<TableView> table = cluster.table(index.indexTable());
        String named = "index " + index.name() + " of " + index.table();
        String again = "bin/diffindex drop-index " + index.table() + " " + index.name() + ", and create it again";
        if (table.isEmpty()) {
            return Optional.of(Finding.problem(this, named + " has no table " + index.indexTable(), again));
        }
        if (!IndexDefinitions.indexIdOf(table.get().descriptor()).equals(index.id())) {
            return Optional.of(Finding.problem(
                    this, "table " + index.indexTable() + " belongs to another index than " + named, again));
        }
        return table.get().enabled()
                ? Optional.empty()
                : Optional.of(Finding.problem(
                        this,
                        "table " + index.indexTable() + " is disabled: " + named
                                + " cannot be read, its updates wait, and writes to a synchronous index fail with"
                                + " IndexUpdateDelayedException",
                        "enable it in hbase shell: enable '" + index.indexTable() + "'"));
    }

    private Optional<Finding> checkOwner(TableView table, ClusterView cluster) {
        TableName base = IndexDefinitions.baseTableOf(table.descriptor()).orElseThrow();
        boolean owned = cluster.table(base).stream()
                .flatMap(view -> view.definitions().values().stream())
                .anyMatch(index -> index.indexTable().equals(table.name()));
        return owned
                ? Optional.empty()
                : Optional.of(Finding.warning(
                        this,
                        "table " + table.name() + " is the remains of an index that " + base + " no longer has",
                        "bin/diffindex drop-index " + base + " "
                                + table.name().getQualifierAsString().replaceFirst("^.*\\.", "")));
    }
}
