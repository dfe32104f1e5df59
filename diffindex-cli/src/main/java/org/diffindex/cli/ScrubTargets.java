package org.diffindex.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexGenerations;
import org.diffindex.model.GenerationName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexState;
import org.diffindex.model.TableIndexes;
import org.diffindex.model.UnloadedIndex;

/**
 * The generations that a scrub of a table, or of one of its indexes, compares: of each index the one in service, whatever its
 * state, and every other one that is ACTIVE. Immutable.
 *
 * @param compared the generations to compare, sorted by name
 * @param unloaded those that are to be compared too, and that this client cannot load
 * @param skipped a line for each other one, which says why it is not compared
 */
record ScrubTargets(List<IndexDefinition> compared, List<UnloadedIndex> unloaded, List<String> skipped) {
    ScrubTargets {
        compared = List.copyOf(compared);
        unloaded = List.copyOf(unloaded);
        skipped = List.copyOf(skipped);
    }

    /** Finds the state of a generation, by its name. */
    @FunctionalInterface
    interface States {
        Optional<IndexState> of(String generation) throws IOException;
    }

    /**
     * Returns the targets on a cluster.
     *
     * @param index the index to scrub; empty for all
     * @throws org.diffindex.client.NoSuchIndexException if the table has no index of that name
     */
    static ScrubTargets of(Connection connection, TableName table, Optional<String> index) throws IOException {
        Optional<String> name = Optional.empty();
        if (index.isPresent()) {
            try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
                name = Optional.of(admin.describeIndex(table, index.get()).logicalName());
            }
        }
        return among(
                IndexGenerations.of(connection, table),
                name,
                generation -> IndexGenerations.stateOf(connection, table, generation));
    }

    /** Returns the targets among the definitions of a table. */
    static ScrubTargets among(TableIndexes indexes, Optional<String> index, States states) throws IOException {
        List<IndexDefinition> compared = new ArrayList<>();
        List<UnloadedIndex> unloaded = new ArrayList<>();
        List<String> skipped = new ArrayList<>();
        TableIndexes inService = indexes.inService();
        for (String name : indexes.names()) {
            GenerationName generation = GenerationName.of(name);
            if (index.isPresent() && !index.get().equals(generation.index())) {
                continue;
            }
            Optional<IndexState> state = inService.containsKey(name) ? Optional.empty() : states.of(name);
            if (!inService.containsKey(name) && !state.equals(Optional.of(IndexState.ACTIVE))) {
                skipped.add("Generation " + name + " of index " + generation.index() + " was not compared: it is "
                        + state.map(IndexState::name).orElse("in a state that this user may not see"));
            } else if (indexes.loaded().containsKey(name)) {
                compared.add(indexes.loaded().get(name));
            } else {
                unloaded.add(indexes.unloaded().get(name));
            }
        }
        return new ScrubTargets(compared, unloaded, skipped);
    }

    /**
     * Returns whether a generation that was not in service has been dropped since, or its drop has begun: the change of the
     * columns was cancelled, or is complete. It cannot be read any more, and nothing depends on it.
     */
    static boolean isDropped(Connection connection, IndexDefinition generation) throws IOException {
        if (generation.role() == IndexRole.IN_SERVICE) {
            return false;
        }
        IndexDefinition now =
                IndexGenerations.of(connection, generation.table()).loaded().get(generation.name());
        return now == null
                || !now.id().equals(generation.id())
                || IndexGenerations.stateOf(connection, generation.table(), generation.name())
                        .equals(Optional.of(IndexState.DROPPING));
    }
}
