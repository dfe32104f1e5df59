package org.diffindex.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexFormat;
import org.diffindex.model.IndexRole;
import org.diffindex.model.Rebuild;
import org.diffindex.model.TableIndexes;
import org.diffindex.model.UnloadedIndex;

/**
 * Checks whether each index has its table, enabled, each index table belongs to an index, and no drop of an index was
 * interrupted. {@link ColumnsChangeCheck} reports what a change of columns has left: to drop the index would drop all of it.
 */
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
            TableIndexes indexes = base.indexes();
            indexes.loaded().values().stream()
                    .filter(index -> index.role() != IndexRole.RETIRED)
                    .forEach(index ->
                            check(base, index.name(), index.id(), cluster).ifPresent(findings::add));
            indexes.unloaded().values().stream()
                    .filter(index -> index.role() != IndexRole.RETIRED)
                    .forEach(index -> check(base, index, cluster).ifPresent(findings::add));
        }
        cluster.indexTables().forEach(table -> checkOwner(table, cluster).ifPresent(findings::add));
        if (findings.isEmpty() && !cluster.indexTables().isEmpty()) {
            findings.add(Finding.ok(
                    this,
                    "all " + cluster.indexTables().size() + " index tables are enabled and belong to their indexes"));
        }
        return findings;
    }

    /** Checks the table of an index that cannot be loaded. A broken definition may not tell which table is its own. */
    private Optional<Finding> check(TableView base, UnloadedIndex index, ClusterView cluster) {
        return index.lacksClass() && !index.id().isEmpty()
                ? check(base, index.name(), index.id(), cluster)
                : cluster.indexTable(base.name(), index.name())
                        .flatMap(table -> interruptedDrop(base, index.name(), table));
    }

    private Optional<Finding> interruptedDrop(TableView base, String index, TableView table) {
        return IndexDefinitions.isDropping(table.descriptor())
                ? Optional.of(Finding.problem(
                        this,
                        "the drop of index " + index + " of " + base.name()
                                + " was interrupted: every write maintains it, but it cannot be read",
                        "unless a drop-index is running: bin/diffindex drop-index " + base.name() + " " + index))
                : Optional.empty();
    }

    private Optional<Finding> check(TableView base, String index, String id, ClusterView cluster) {
        String indexTable = ClusterView.indexTableName(base.name(), index);
        Optional<TableView> table = cluster.indexTable(base.name(), index);
        String named = "index " + index + " of " + base.name();
        String again = "bin/diffindex drop-index " + base.name() + " " + index + ", and create it again";
        if (table.isEmpty()) {
            return Optional.of(Finding.problem(this, named + " has no table " + indexTable, again));
        }
        if (Rebuild.isDue(table.get().descriptor())) { // of another id for a while, and disabled while it is emptied
            return Optional.empty();
        }
        if (!IndexDefinitions.indexIdOf(table.get().descriptor()).equals(id)) {
            return Optional.of(
                    Finding.problem(this, "table " + indexTable + " belongs to another index than " + named, again));
        }
        Optional<Finding> interrupted = interruptedDrop(base, index, table.get());
        return interrupted.isPresent() || table.get().enabled()
                ? interrupted
                : Optional.of(Finding.problem(
                        this,
                        "table " + indexTable + " is disabled: " + named
                                + " cannot be read, its updates wait, and writes to a synchronous index fail with"
                                + " IndexUpdateDelayedException",
                        "enable it in hbase shell: enable '" + indexTable + "'"));
    }

    private Optional<Finding> checkOwner(TableView table, ClusterView cluster) {
        TableName base = IndexDefinitions.baseTableOf(table.descriptor()).orElseThrow();
        boolean isKept = IndexDefinitions.keptIn(table.descriptor()).isPresent();
        if (isKept || isOwned(table, cluster) || ColumnsChangeCheck.isLeft(table, cluster)) {
            return Optional.empty();
        }
        return Optional.of(IndexFormat.refusal(table.descriptor())
                .map(why -> Finding.warning(
                        this, "table " + table.name() + " of an index was not examined: " + why, IndexFormat.REMEDY))
                .orElseGet(() -> Finding.warning(
                        this,
                        "table " + table.name() + " is the remains of an index that " + base + " no longer has",
                        "bin/diffindex drop-index " + base + " " + indexName(table))));
    }

    /**
     * Returns whether the base table of an index table defines an index of its name. An index table has an owner even if the
     * definition of its index cannot be loaded.
     */
    static boolean isOwned(TableView table, ClusterView cluster) {
        TableName base = IndexDefinitions.baseTableOf(table.descriptor()).orElseThrow();
        return cluster.table(base).stream()
                .flatMap(view -> view.indexNames().stream())
                .anyMatch(index -> ClusterView.indexTableName(base, index)
                        .equals(table.name().getNameAsString()));
    }

    /** Returns the name of the generation of an index to which an index table belongs, by the table's name. */
    static String indexName(TableView table) {
        return IndexDefinitions.indexNameOf(table.descriptor())
                .orElseGet(() -> table.name().getQualifierAsString().replaceFirst("^.*\\.", ""));
    }
}
