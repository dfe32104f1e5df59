package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.GenerationName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexState;
import org.diffindex.model.TableIndexes;

/**
 * The change of a base table's definitions by which readers of an index go over to its {@linkplain IndexRole#SHADOW shadow}: the
 * shadow comes into service, the generation that was in service is retired, and nothing else changes. Also checks what a shadow
 * is when it is entered. Thread-safe; has no mutable state.
 */
final class GenerationSwitch {
    private GenerationSwitch() {}

    /**
     * Returns whether a change gives a definition that is there before and after another role.
     *
     * @param before the definitions before, by name, those that can be parsed
     */
    static boolean changesRoles(Map<String, IndexDefinition> before, Map<String, IndexDefinition> after) {
        return after.values().stream().anyMatch(index -> changesRole(before.get(index.name()), index));
    }

    private static boolean changesRole(IndexDefinition before, IndexDefinition after) {
        return before != null && before.role() != after.role();
    }

    /**
     * Returns the shadow of an index that is prepared by a change, or to which readers go over by it; empty if none is. It is
     * prepared before, when the last change of its state, ACTIVE, is repeated.
     *
     * @param current a descriptor of a base table or an index table
     */
    static Optional<IndexDefinition> prepared(
            TableDescriptor current, TableDescriptor changed, DefinitionChange.Tables tables) throws IOException {
        Optional<TableName> base = IndexDefinitions.baseTableOf(changed);
        if (base.isEmpty()) {
            Map<String, IndexDefinition> before = TableIndexes.of(current).loaded();
            return TableIndexes.of(changed).loaded().values().stream()
                    .filter(after ->
                            changesRole(before.get(after.name()), after) && after.role() == IndexRole.IN_SERVICE)
                    .findFirst();
        }
        boolean isRepeated = IndexDefinitions.stateOf(current) == IndexState.ACTIVE
                && IndexDefinitions.stateOf(changed) == IndexState.ACTIVE
                && IndexDefinitions.changesState(current, changed);
        Optional<TableDescriptor> definitions = isRepeated ? tables.find(base.get()) : Optional.empty();
        return definitions.flatMap(defining -> IndexDefinitions.indexNameOf(changed)
                .map(TableIndexes.of(defining).loaded()::get)
                .filter(index ->
                        index.role() == IndexRole.SHADOW && index.id().equals(IndexDefinitions.indexIdOf(changed))));
    }

    /**
     * Returns why a change that changes roles is not a switch; empty if it is one.
     *
     * @param changed the names of the definitions that differ
     */
    static Optional<String> problem(
            Map<String, IndexDefinition> before, Map<String, IndexDefinition> after, List<String> changed) {
        List<IndexDefinition> entered = new ArrayList<>();
        List<IndexDefinition> retired = new ArrayList<>();
        for (String name : changed) {
            IndexDefinition old = before.get(name);
            IndexDefinition now = after.get(name);
            boolean changesOnlyItsRole = old != null
                    && now != null
                    && old.withRole(now.role()).equals(now)
                    && old.change().equals(now.change());
            if (changesOnlyItsRole && old.role() == IndexRole.SHADOW && now.role() == IndexRole.IN_SERVICE) {
                entered.add(now);
            } else if (changesOnlyItsRole && old.role() == IndexRole.IN_SERVICE && now.role() == IndexRole.RETIRED) {
                retired.add(now);
            } else {
                return Optional.of(notASwitch(changed));
            }
        }
        boolean isSwitch = entered.size() == 1
                && retired.size() == 1
                && entered.get(0).logicalName().equals(retired.get(0).logicalName());
        return isSwitch ? Optional.empty() : Optional.of(notASwitch(changed));
    }

    private static String notASwitch(List<String> changed) {
        return "the descriptor changes the roles of the indexes " + changed
                + ", and not just those of one index and its shadow;"
                + " change columns with bin/diffindex alter-index";
    }

    /**
     * Requires that readers may go over from one generation of an index to the next, or that the definition is not one that
     * changes its role: its own table must be ACTIVE, no change of its scheme may be under way, and the two generations must
     * have one scheme. Both are checked, since a drop, a disabling or a rebuild may have begun in either table.
     *
     * @param definition a definition that is changed
     * @param own its table; empty if there is none
     * @throws DoNotRetryIOException if not; the message says what to do
     */
    static void requireReady(
            IndexDefinition definition, Optional<TableDescriptor> own, Map<String, IndexDefinition> changed)
            throws DoNotRetryIOException {
        Optional<IndexState> state = own.map(IndexDefinitions::stateOf);
        if (!state.equals(Optional.of(IndexState.ACTIVE))) {
            throw notYet(
                    definition,
                    definition.indexTable() + " is "
                            + state.map(IndexState::name).orElse("missing")
                            + ", not ACTIVE; repeat the change when it is");
        }
        if (own.flatMap(IndexDefinitions::schemeStateOf)
                .filter(schemes -> schemes.next().isPresent())
                .isPresent()) {
            throw notYet(definition, "a change of its scheme has begun; complete that first");
        }
        for (IndexDefinition other : changed.values()) {
            if (other.logicalName().equals(definition.logicalName()) && other.scheme() != definition.scheme()) {
                throw notYet(
                        definition,
                        "its scheme was changed since the change of its columns began, and " + other.name() + " has "
                                + other.scheme() + "; cancel the change of its columns, and begin it again");
            }
        }
    }

    private static DoNotRetryIOException notYet(IndexDefinition definition, String why) {
        return new DoNotRetryIOException("Readers of index " + definition.logicalName() + " of " + definition.table()
                + " cannot go over to its new columns, nothing was changed: " + why);
    }

    /**
     * Requires that a definition which is entered stands beside no other one of its role, except that any number may be
     * retired, and that a shadow follows the generation in service and has its scheme. While an index is disabled or
     * emptied, its base table defines none that is in service, and may get the shadow back.
     *
     * @param changed the definitions of the table with it
     * @throws DoNotRetryIOException if not; the message says what to do
     */
    static void requirePlace(IndexDefinition entered, Map<String, IndexDefinition> changed)
            throws DoNotRetryIOException {
        for (IndexDefinition other : changed.values()) {
            if (other.name().equals(entered.name()) || !other.logicalName().equals(entered.logicalName())) {
                continue;
            }
            if (other.role() == entered.role() && entered.role() != IndexRole.RETIRED) {
                throw refused(entered, "the table has the index " + other + " already, which is " + other.role());
            }
            if (entered.role() == IndexRole.SHADOW
                    && other.role() == IndexRole.IN_SERVICE
                    && (other.scheme() != entered.scheme() || !isNext(other, entered))) {
                throw refused(entered, "it is to replace " + other + ", which another client has changed");
            }
        }
    }

    /**
     * Requires of the table of an index in service that a shadow of it may be entered: it is ACTIVE, and no change of its scheme
     * has begun, which would be refused later, and would prevent the switch.
     *
     * @throws DoNotRetryIOException if not; the message says what to do
     */
    static void requireUnchanging(IndexDefinition shadow, TableDescriptor replaced) throws DoNotRetryIOException {
        IndexState state = IndexDefinitions.stateOf(replaced);
        if (state != IndexState.ACTIVE) {
            throw refused(shadow, "it is to replace an index that is " + state + " meanwhile");
        }
        if (IndexDefinitions.schemeStateOf(replaced)
                .filter(schemes -> schemes.next().isPresent())
                .isPresent()) {
            throw refused(
                    shadow, "a change of the scheme of the index that it is to replace has begun; complete that first");
        }
    }

    private static boolean isNext(IndexDefinition present, IndexDefinition shadow) {
        return GenerationName.of(present.name()).next().toString().equals(shadow.name());
    }

    /**
     * Requires that the scheme of a definition may be changed: it is in service, and no other generation is left, which would
     * keep the scheme of before. Clients that have not gone over yet read by a retired one.
     *
     * @throws DoNotRetryIOException if not; the message says what to do
     */
    static void requireOnly(IndexDefinition definition, Map<String, IndexDefinition> changed)
            throws DoNotRetryIOException {
        boolean isChanging = changed.values().stream()
                .anyMatch(other -> other.logicalName().equals(definition.logicalName())
                        && !other.name().equals(definition.name()));
        if (isChanging || definition.role() != IndexRole.IN_SERVICE) {
            throw new DoNotRetryIOException("The scheme of index " + definition.logicalName() + " of "
                    + definition.table() + " cannot be changed now, nothing was changed: a change of its columns has"
                    + " begun; complete or cancel that first (bin/diffindex alter-index)");
        }
    }

    private static DoNotRetryIOException refused(IndexDefinition definition, String why) {
        return new DoNotRetryIOException("Table " + definition.table() + " cannot have the index " + definition.name()
                + ", nothing was changed: " + why + "; list the indexes of the table");
    }
}
