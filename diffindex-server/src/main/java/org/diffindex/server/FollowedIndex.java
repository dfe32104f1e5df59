package org.diffindex.server;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexFormat;
import org.diffindex.model.IndexState;
import org.diffindex.model.IndexedColumn;
import org.diffindex.model.TableIndexes;
import org.diffindex.model.UnloadedIndex;

/**
 * An index whose permissions follow those on its base table.
 *
 * @param base the base table
 * @param columns the columns that the index reads, not necessarily with their types; none if they are not known, because
 *     the index is being created, its drop has begun, or its definition does not tell them
 * @param table the index's own table
 * @param isDefined whether the base table defines it: if not, the base table may be another one than that whose values
 *     it holds
 * @param isKept whether its own table keeps its definition: it is DISABLED, or enabled or rebuilt
 */
record FollowedIndex(
        TableName base,
        List<IndexedColumn> columns,
        TableName table,
        IndexState state,
        boolean isDefined,
        boolean isKept) {
    /** Returns whether it is being created, and its base table is yet to define it, so that nothing tells who owns it. */
    boolean isBeingEntered() {
        return !isKnown() && state == IndexState.BUILDING;
    }

    /** Returns whether the table is what an interrupted or a forced drop has left. */
    private boolean isLeftOver() {
        return !isKnown() && state != IndexState.BUILDING;
    }

    private boolean isKnown() {
        return isDefined || isKept;
    }

    /**
     * Returns whether users may have READ on the table. They may not on what a forced drop has left: its regions would answer
     * them. The regions of an index that is DROPPING refuse its readers, and tell those who may ask that it is gone.
     */
    boolean mayHaveReaders() {
        return !isLeftOver() || state == IndexState.DROPPING;
    }

    /** Returns whether owners may follow its build, or the build that begins when it is enabled. */
    boolean isWatched() {
        boolean isComplete = !state.isIncomplete() && state != IndexState.DISABLED && !columns.isEmpty();
        return !isLeftOver() && !isComplete;
    }

    /**
     * Returns the index to which a table belongs, as the base table defines it, or its own table keeps it. That this process
     * may lack the classes of its column types does not matter. Empty if the table belongs to none, or to one of a later build,
     * whose columns are not known.
     */
    static Optional<FollowedIndex> of(TableDescriptor table, Map<TableName, TableDescriptor> tables) {
        Optional<TableName> base = IndexDefinitions.baseTableOf(table);
        Optional<String> name = IndexDefinitions.indexNameOf(table);
        if (base.isEmpty()
                || name.isEmpty()
                || !tables.containsKey(base.get())
                || IndexFormat.refusal(table).isPresent()) {
            return Optional.empty();
        }
        Optional<String> defined = Optional.ofNullable(
                IndexDefinitions.texts(tables.get(base.get())).get(name.get()));
        Optional<TableIndexes> indexes = defined.or(() -> IndexDefinitions.keptIn(table))
                .map(text -> TableIndexes.of(base.get(), Map.of(name.get(), text)));
        if (indexes.filter(known -> isOfLaterBuild(known, name.get())).isPresent()) {
            return Optional.empty();
        }
        String id = IndexDefinitions.indexIdOf(table);
        return Optional.of(new FollowedIndex(
                base.get(),
                indexes.map(known -> columns(known, name.get())).orElse(List.of()),
                table.getTableName(),
                IndexDefinitions.stateOf(table),
                defined.isPresent()
                        && indexes.map(known -> idOf(known, name.get())).equals(Optional.of(id)),
                IndexDefinitions.keptIn(table).isPresent()));
    }

    private static boolean isOfLaterBuild(TableIndexes indexes, String name) {
        UnloadedIndex unloaded = indexes.unloaded().get(name);
        return unloaded != null && unloaded.isOfLaterBuild();
    }

    private static String idOf(TableIndexes indexes, String name) {
        IndexDefinition loaded = indexes.loaded().get(name);
        return loaded == null ? indexes.unloaded().get(name).id() : loaded.id();
    }

    private static List<IndexedColumn> columns(TableIndexes indexes, String name) {
        IndexDefinition loaded = indexes.loaded().get(name);
        return loaded == null ? indexes.unloaded().get(name).columns() : loaded.readColumns();
    }
}
