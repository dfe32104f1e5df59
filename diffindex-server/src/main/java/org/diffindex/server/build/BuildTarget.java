package org.diffindex.server.build;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.model.TableIndexes;
import org.diffindex.model.UnloadedIndex;

/**
 * The table of an index that is BUILDING, or BROKEN because its build has failed. Immutable.
 *
 * @param table the table's descriptor
 * @param index the index; empty if its base table does not define it yet, or this process cannot load the definition
 * @param unloaded the index of a definition that this process cannot load
 */
record BuildTarget(TableDescriptor table, Optional<IndexDefinition> index, Optional<UnloadedIndex> unloaded) {
    /** Returns the targets among the tables of a cluster, by the ids of the indexes. */
    static Map<String, BuildTarget> among(Collection<TableDescriptor> tables) {
        Map<TableName, TableDescriptor> byName =
                tables.stream().collect(Collectors.toMap(TableDescriptor::getTableName, Function.identity()));
        Map<String, BuildTarget> targets = new HashMap<>();
        for (TableDescriptor table : tables) {
            Optional<TableName> base = IndexDefinitions.baseTableOf(table);
            if (base.isPresent()
                    && IndexDefinitions.stateOf(table).isIncomplete()
                    && table.hasColumnFamily(BuildFamily.NAME)) {
                TableIndexes indexes = Optional.ofNullable(byName.get(base.get()))
                        .map(TableIndexes::of)
                        .orElse(TableIndexes.NONE);
                targets.put(IndexDefinitions.indexIdOf(table), of(table, indexes));
            }
        }
        return targets;
    }

    private static BuildTarget of(TableDescriptor table, TableIndexes indexes) {
        String id = IndexDefinitions.indexIdOf(table);
        return new BuildTarget(
                table,
                indexes.loaded().values().stream()
                        .filter(index ->
                                index.id().equals(id) && index.indexTable().equals(table.getTableName()))
                        .findFirst(),
                indexes.unloaded().values().stream()
                        .filter(index -> index.id().equals(id))
                        .findFirst());
    }

    /** Returns whether the table's descriptor says that the build has failed. */
    boolean isBroken() {
        return IndexDefinitions.stateOf(table) == IndexState.BROKEN;
    }

    /** Returns the id of the index. */
    String id() {
        return IndexDefinitions.indexIdOf(table);
    }

    @Override
    public String toString() {
        return index.map(IndexDefinition::toString)
                .orElse("the index of " + table.getTableName().getNameAsString());
    }
}
