package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.GenerationName;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexRole;
import org.diffindex.model.Rebuild;
import org.diffindex.model.TableIndexes;

/** Checks whether changes of the columns of indexes are under way, or were interrupted, and what they have left. */
final class ColumnsChangeCheck implements Check {
    @Override
    public String name() {
        return "column-changes";
    }

    @Override
    public List<Finding> examine(ClusterView cluster) {
        List<Finding> findings = new ArrayList<>();
        for (TableView base : cluster.baseTables()) {
            TableIndexes indexes = base.indexes();
            indexes.ofRole(IndexRole.SHADOW)
                    .names()
                    .forEach(name -> findings.add(underWay(base, name, indexes, cluster)));
            indexes.ofRole(IndexRole.RETIRED).names().forEach(name -> findings.add(retired(base.name(), name)));
        }
        for (TableView table : cluster.indexTables()) {
            if (isLeft(table, cluster)) {
                findings.add(remains(table));
            }
        }
        return findings;
    }

    private Finding underWay(TableView base, String shadow, TableIndexes indexes, ClusterView cluster) {
        String index = GenerationName.of(shadow).index();
        String state = cluster.indexTable(base.name(), shadow)
                .map(table -> IndexDefinitions.stateOf(table.descriptor()).name())
                .orElse("without a table");
        boolean isServed = indexes.generation(index, IndexRole.IN_SERVICE).isPresent();
        return Finding.warning(
                this,
                "the columns of index " + index + " of " + base.name() + " are being changed: its table "
                        + ClusterView.indexTableName(base.name(), shadow) + " is " + state
                        + ", and every write maintains it, too"
                        + (isServed ? "" : "; the index itself is disabled or was dropped"),
                "unless an alter-index is running, repeat the change with --wait, or cancel it: bin/diffindex alter-index "
                        + base.name() + " " + index + " --cancel");
    }

    private Finding retired(TableName base, String earlier) {
        String index = GenerationName.of(earlier).index();
        return Finding.warning(
                this,
                "the columns of index " + index + " of " + base + " were changed, and every write still maintains "
                        + ClusterView.indexTableName(base, earlier) + ", which is to be dropped",
                "unless an alter-index is running, repeat the change with --wait");
    }

    private Finding remains(TableView table) {
        TableName base = IndexDefinitions.baseTableOf(table.descriptor()).orElseThrow();
        String index = GenerationName.of(IndexTablesCheck.indexName(table)).index();
        return Finding.warning(
                this,
                "table " + table.name() + " is what a change of the columns of index " + index + " of " + base
                        + " has left",
                "unless an alter-index is running, repeat the change with --wait, or, if it was cancelled, cancel it again");
    }

    /** Returns whether an index table is that of a generation which is not defined any more, of an index that is. */
    static boolean isLeft(TableView table, ClusterView cluster) {
        Optional<TableName> base = IndexDefinitions.baseTableOf(table.descriptor());
        String index = GenerationName.of(IndexTablesCheck.indexName(table)).index();
        boolean comesBack = IndexDefinitions.keptIn(table.descriptor())
                .filter(kept ->
                        Rebuild.isDue(table.descriptor()) || IndexDefinitions.roleOf(kept) == IndexRole.IN_SERVICE)
                .isPresent();
        return !comesBack
                && !IndexTablesCheck.isOwned(table, cluster)
                && base.flatMap(cluster::table).stream()
                        .flatMap(view -> view.indexNames().stream())
                        .anyMatch(name -> GenerationName.of(name).index().equals(index));
    }
}
