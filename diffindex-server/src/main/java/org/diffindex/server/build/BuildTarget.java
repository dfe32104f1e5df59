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
import org.diffindex.model.IndexFormat;
import org.diffindex.model.IndexState;
import org.diffindex.model.Rebuild;
import org.diffindex.model.TableIndexes;
import org.diffindex.model.UnloadedIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table of an index that is BUILDING, or BROKEN because its build has failed, or that is to be emptied before it is
 * built. Immutable.
 *
 * @param table the table's descriptor
 * @param index the index; empty if its base table does not define it yet, or this process cannot load the definition
 * @param unloaded the index of a definition that this process cannot load
 * @param defined the definition that the base table has of an index of this name, whatever its id
 * @param isReplaced whether the base table defines an index of this name under another id
 */
record BuildTarget(
        TableDescriptor table,
        Optional<IndexDefinition> index,
        Optional<UnloadedIndex> unloaded,
        Optional<String> defined,
        boolean isReplaced) {
    private static final Logger LOG = LoggerFactory.getLogger(BuildTarget.class);

    /**
     * Returns the targets among the tables of a cluster, by the ids of the indexes. Leaves out those that only a later
     * build knows how to build.
     */
    static Map<String, BuildTarget> among(Collection<TableDescriptor> tables) {
        Map<TableName, TableDescriptor> byName =
                tables.stream().collect(Collectors.toMap(TableDescriptor::getTableName, Function.identity()));
        Map<String, BuildTarget> targets = new HashMap<>();
        for (TableDescriptor table : tables) {
            if (IndexDefinitions.indexNameOf(table).isEmpty()) {
                continue; // no table of an index, or one that only says so
            }
            Optional<TableDescriptor> base = IndexDefinitions.baseTableOf(table).map(byName::get);
            BuildTarget target = of(table, base);
            boolean isBuilt = IndexDefinitions.baseTableOf(table).isPresent()
                    && IndexDefinitions.stateOf(table).isIncomplete()
                    && table.hasColumnFamily(BuildFamily.NAME);
            if (!isBuilt && !(base.isPresent() && target.isToBeEmptied())) {
                continue;
            }
            Optional<String> refusal = IndexFormat.refusal(table);
            if (refusal.isPresent()) {
                LOG.warn(
                        "The index of table {} is to be built, and left to a master of a later build: {}",
                        table.getTableName(),
                        refusal.get());
                continue;
            }
            targets.put(target.id(), target);
        }
        return targets;
    }

    /** Returns the target that a table with an id is, whether or not there is something to build. */
    static BuildTarget of(TableDescriptor table, Optional<TableDescriptor> base) {
        String id = IndexDefinitions.indexIdOf(table);
        TableIndexes indexes = base.map(TableIndexes::of).orElse(TableIndexes.NONE);
        Optional<String> name = IndexDefinitions.indexNameOf(table).filter(indexes::containsKey);
        Optional<IndexDefinition> index = indexes.loaded().values().stream()
                .filter(loaded -> loaded.id().equals(id) && loaded.indexTable().equals(table.getTableName()))
                .findFirst();
        Optional<UnloadedIndex> unloaded = indexes.unloaded().values().stream()
                .filter(broken -> broken.id().equals(id))
                .findFirst();
        return new BuildTarget(
                table,
                index,
                unloaded,
                name.flatMap(defined -> base.map(IndexDefinitions::texts).map(texts -> texts.get(defined))),
                name.isPresent() && index.isEmpty() && unloaded.isEmpty());
    }

    /**
     * Returns whether the table is to be emptied before the index is built: a rebuild is ordered, or a snapshot was restored
     * over the base table since its rebuild had begun, so that the base table has the definition of then.
     */
    boolean isToBeEmptied() {
        IndexState state = IndexDefinitions.stateOf(table);
        return isOrdered() || (isReplaced && (state.isReadable() || state.isIncomplete()));
    }

    /** Returns whether a rebuild of the index is ordered. */
    boolean isOrdered() {
        return Rebuild.isDue(table);
    }

    /** Returns whether the table's descriptor says that the build has failed. */
    boolean isBroken() {
        return IndexDefinitions.stateOf(table) == IndexState.BROKEN;
    }

    /** Returns the id of the index. */
    String id() {
        return IndexDefinitions.indexIdOf(table);
    }

    /** Returns the base table. */
    TableName base() {
        return IndexDefinitions.baseTableOf(table).orElseThrow();
    }

    /** Returns the name of the index. */
    String name() {
        return IndexDefinitions.indexNameOf(table).orElseThrow();
    }

    @Override
    public String toString() {
        return index.map(IndexDefinition::toString)
                .orElse("the index of " + table.getTableName().getNameAsString());
    }
}
