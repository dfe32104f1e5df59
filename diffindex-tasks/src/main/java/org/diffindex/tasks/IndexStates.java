package org.diffindex.tasks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.model.Rebuild;
import org.diffindex.model.SchemeState;

/** Changes the states of indexes, in the descriptors of their tables. */
public final class IndexStates {
    /** Reads the definition of an index as the descriptor of its base table has it. */
    @FunctionalInterface
    public interface Definition {
        /** Returns what the index table is to keep, as {@link IndexDefinitions#texts} returns it. */
        String read() throws IOException;
    }

    private IndexStates() {}

    /**
     * Makes an index DROPPING, even if it is already, as another client may still be waiting for the regions; returns when
     * every region of its table has been opened with that state. Repeats that as often as other clients change the table.
     *
     * @return whether the index is DROPPING; false if the table is not, or no longer, that of the index
     */
    public static boolean drop(Admin admin, TableName indexTable, String id) throws IOException {
        return change(admin, indexTable, id, IndexStates::dropping);
    }

    /**
     * Makes an index DROPPING like {@link #drop}, if it is BUILDING or BROKEN.
     *
     * @return whether the index is DROPPING; false also if it was in another state
     */
    public static boolean cancel(Admin admin, TableName indexTable, String id) throws IOException {
        return change(
                admin,
                indexTable,
                id,
                own -> hasState(own, IndexState.BUILDING, IndexState.BROKEN),
                IndexStates::dropping);
    }

    private static TableDescriptor dropping(TableDescriptor own) {
        return BuildFamily.remove(IndexDefinitions.withState(own, IndexState.DROPPING));
    }

    /**
     * Makes an index ACTIVE, in the same way, if it is BUILDING and not to be emptied before, or ACTIVE already.
     *
     * @param totals the totals of its build
     * @return whether the index is ACTIVE; false also if it was in another state
     */
    public static boolean activate(Admin admin, TableName indexTable, String id, BuildFamily.Totals totals)
            throws IOException {
        return change(
                admin,
                indexTable,
                id,
                own -> hasState(own, IndexState.BUILDING, IndexState.ACTIVE) && !Rebuild.isDue(own),
                own -> BuildFamily.complete(IndexDefinitions.withState(own, IndexState.ACTIVE), totals));
    }

    /**
     * Repeats the last change of the state of an index that is ACTIVE: when this returns, every region of its table has been
     * opened with that state, which the descriptor may have had before.
     *
     * @return whether the index is ACTIVE; false if it was in another state
     */
    public static boolean settle(Admin admin, TableName indexTable, String id) throws IOException {
        return change(admin, indexTable, id, own -> hasState(own, IndexState.ACTIVE), IndexDefinitions::again);
    }

    /**
     * Makes an index that is BUILDING, and not to be emptied before, BROKEN, in the same way.
     *
     * @return whether the index is BROKEN; false also if it was in another state
     */
    public static boolean fail(Admin admin, TableName indexTable, String id, String problem) throws IOException {
        return change(
                admin,
                indexTable,
                id,
                own -> hasState(own, IndexState.BUILDING) && !Rebuild.isDue(own),
                own -> IndexDefinitions.broken(own, problem));
    }

    /**
     * Makes an index that is BROKEN BUILDING again, in the same way.
     *
     * @return whether the index is BUILDING; false if it was not BROKEN
     */
    public static boolean retry(Admin admin, TableName indexTable, String id) throws IOException {
        return change(
                admin,
                indexTable,
                id,
                own -> hasState(own, IndexState.BROKEN),
                own -> IndexDefinitions.withState(own, IndexState.BUILDING));
    }

    /**
     * Makes an index DISABLED, in the same way, even if it is already.
     *
     * @param definition which the index table then keeps, with the scheme that a change has given it meanwhile
     * @return whether the index is DISABLED; false also if it is DROPPING
     */
    public static boolean disable(Admin admin, TableName indexTable, String id, Definition definition)
            throws IOException {
        return changeKeeping(
                definition,
                text -> change(
                        admin,
                        indexTable,
                        id,
                        own -> !hasState(own, IndexState.DROPPING),
                        own -> BuildFamily.remove(IndexDefinitions.disabled(own, text))));
    }

    /**
     * Orders that an index be {@linkplain Rebuild rebuilt}, in the same way, if it is ACTIVE, BUILDING or BROKEN: when this
     * returns, every region of its table refuses readers.
     *
     * @param definition which the index table then keeps, with the scheme that a change has given it meanwhile
     * @return whether the index is to be rebuilt; false also if it was in another state
     */
    public static boolean rebuild(Admin admin, TableName indexTable, String id, Definition definition)
            throws IOException {
        return changeKeeping(
                definition,
                text -> change(
                        admin,
                        indexTable,
                        id,
                        own -> hasState(own, IndexState.ACTIVE, IndexState.BUILDING, IndexState.BROKEN),
                        own -> Rebuild.ordered(own, text)));
    }

    /** A change of the state after which the index table keeps a definition. */
    @FunctionalInterface
    private interface Keeping {
        boolean isMade(String definition) throws IOException;
    }

    /**
     * Repeats a change by which the index table keeps a definition, if the scheme was changed between the reading of the
     * definition and the change. It is not changed afterwards: the index has to be ACTIVE for that.
     */
    private static boolean changeKeeping(Definition definition, Keeping change) throws IOException {
        String kept;
        do {
            kept = definition.read();
            if (!change.isMade(kept)) {
                return false;
            }
        } while (!definition.read().equals(kept));
        return true;
    }

    /**
     * Lets the build of an index begin that was to be rebuilt, and whose table is empty.
     *
     * @param order as {@link #renewRebuilt} returned it before the table was emptied
     * @return whether the build may begin; false if the index was not to be rebuilt, or another order was given since
     */
    public static boolean begin(Admin admin, TableName indexTable, String id, String order) throws IOException {
        return change(admin, indexTable, id, own -> Rebuild.order(own).equals(Optional.of(order)), Rebuild::begun);
    }

    /**
     * Gives an index that is to be rebuilt another id, as {@link #renew} does for one that is DISABLED.
     *
     * @return the {@linkplain Rebuild#order order}, if the index has the id; empty if it was not to be rebuilt
     */
    public static Optional<String> renewRebuilt(Admin admin, TableName indexTable, String id, String newId)
            throws IOException {
        AtomicReference<TableDescriptor> renewed = new AtomicReference<>();
        boolean isRenewed = change(admin, indexTable, id, Rebuild::isDue, own -> {
            renewed.set(Rebuild.renewed(own, newId));
            return renewed.get();
        });
        return isRenewed ? Rebuild.order(renewed.get()) : Optional.empty();
    }

    /**
     * Gives an index that is DISABLED another id: when this returns, every region of its table refuses updates for the one
     * before.
     *
     * @return whether the index has the id; false if it was not DISABLED
     */
    public static boolean renew(Admin admin, TableName indexTable, String id, String newId) throws IOException {
        return change(
                admin,
                indexTable,
                id,
                own -> hasState(own, IndexState.DISABLED),
                own -> IndexDefinitions.renewed(own, newId));
    }

    /**
     * Makes an index that is DISABLED, and whose table is empty, BUILDING.
     *
     * @param build adds what the build of the index is to begin with
     * @return whether the index is BUILDING; false if it was not DISABLED
     */
    public static boolean enable(Admin admin, TableName indexTable, String id, UnaryOperator<TableDescriptor> build)
            throws IOException {
        return change(
                admin,
                indexTable,
                id,
                own -> hasState(own, IndexState.DISABLED),
                own -> build.apply(IndexDefinitions.withState(own, IndexState.BUILDING)));
    }

    /**
     * Replaces what the table of an index that is ACTIVE says of the schemes of the index, in the same way.
     *
     * @param next returns the state that follows the present one; empty if none may
     * @return the new state; empty if the index is not ACTIVE, or no state may follow
     * @throws IllegalArgumentException if the present state cannot be parsed
     */
    static Optional<SchemeState> changeSchemes(
            Admin admin, TableName indexTable, String id, Function<Optional<SchemeState>, Optional<SchemeState>> next)
            throws IOException {
        AtomicReference<Optional<SchemeState>> made = new AtomicReference<>(Optional.empty());
        boolean isChanged = change(
                admin,
                indexTable,
                id,
                own -> {
                    made.set(
                            hasState(own, IndexState.ACTIVE)
                                    ? next.apply(IndexDefinitions.schemeStateOf(own))
                                    : Optional.empty());
                    return made.get().isPresent();
                },
                own -> IndexDefinitions.withSchemeState(own, made.get().orElseThrow()));
        return isChanged ? made.get() : Optional.empty();
    }

    private static boolean hasState(TableDescriptor own, IndexState... states) {
        return List.of(states).contains(IndexDefinitions.stateOf(own));
    }

    private static boolean change(Admin admin, TableName indexTable, String id, UnaryOperator<TableDescriptor> toState)
            throws IOException {
        return change(admin, indexTable, id, own -> true, toState);
    }

    private static boolean change(
            Admin admin,
            TableName indexTable,
            String id,
            Predicate<TableDescriptor> changed,
            UnaryOperator<TableDescriptor> toState)
            throws IOException {
        List<TableDescriptor> asked = new ArrayList<>();
        while (true) {
            Optional<TableDescriptor> found = DescriptorChange.find(admin, indexTable);
            TableDescriptor next;
            if (isStored(asked, found)) { // beside another change of the table, and perhaps not known to all regions
                next = IndexDefinitions.again(found.get());
            } else if (found.filter(own -> IndexDefinitions.indexIdOf(own).equals(id))
                    .filter(changed)
                    .isPresent()) {
                next = toState.apply(found.get());
            } else {
                return false;
            }
            if (DescriptorChange.isMade(admin, found.get(), next, asked::add)) {
                return true;
            }
        }
    }

    /** Returns whether a descriptor has the state that this change has asked for, perhaps of a master that has stopped since. */
    private static boolean isStored(List<TableDescriptor> asked, Optional<TableDescriptor> found) {
        return found.isPresent() && asked.stream().anyMatch(made -> IndexDefinitions.haveSameChange(made, found.get()));
    }
}
