package org.diffindex.server;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.security.Superusers;
import org.apache.hadoop.hbase.security.User;
import org.diffindex.model.GenerationName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexState;
import org.diffindex.model.Rebuild;
import org.diffindex.model.TableIndexes;

/**
 * Checks the definitions that clients let index tables keep: those of DISABLED indexes, and of indexes that are to be {@linkplain
 * Rebuild rebuilt}. The owner of the base table, or the master, enters them into the base table later, by their own right: a user
 * with CREATE on the index table alone must not get an index of other columns by that. Thread-safe; has no mutable state.
 */
final class KeptDefinitions {
    private KeptDefinitions() {}

    /**
     * Requires that a table is not created as that of an index which is DISABLED, to be rebuilt, BROKEN or DROPPING. None has to
     * be: only by its states an index becomes so.
     *
     * @throws DoNotRetryIOException if it is; the message says what to do
     */
    static void requireNone(TableDescriptor created) throws DoNotRetryIOException {
        IndexState state = IndexDefinitions.stateOf(created);
        boolean isNew = state == IndexState.BUILDING || state == IndexState.ACTIVE;
        if (Rebuild.isDue(created) || IndexDefinitions.keptIn(created).isPresent() || !isNew) {
            throw new DoNotRetryIOException("Cannot create table " + created.getTableName()
                    + ", nothing was changed: its descriptor orders the rebuild of an index (diffindex.rebuild), keeps"
                    + " the definition of one (diffindex.definition), or has the state of one that was made before"
                    + " (diffindex.state). A copied descriptor does not bring its indexes along: leave out the values"
                    + " diffindex.*");
        }
    }

    /**
     * Requires that an index table keeps the definition that it kept before, or that of the index that the base table has, apart
     * from its scheme, which may be changed meanwhile; and that an order to rebuild the index is given only while the base table
     * defines it. Superusers and the master itself, which repeat orders while the base table lacks the definition, may give
     * others.
     *
     * @param current the descriptor of an index table, or of another table
     * @param caller the user who changes it; empty if the master does
     * @throws DoNotRetryIOException if it keeps another definition; the message says what to do
     */
    static void requireOwn(
            TableDescriptor current, TableDescriptor changed, Optional<User> caller, DefinitionChange.Tables tables)
            throws IOException {
        Optional<TableName> base = IndexDefinitions.baseTableOf(current);
        Optional<String> kept = IndexDefinitions.keptIn(changed);
        boolean isSame = kept.isEmpty() || kept.equals(IndexDefinitions.keptIn(current));
        boolean isNewOrder = Rebuild.isDue(changed) && !(Rebuild.isDue(current) && isSame);
        if (base.isEmpty()
                || (isSame && !isNewOrder)
                || caller.filter(user -> !Superusers.isSuperUser(user)).isEmpty()) {
            return;
        }
        String name = IndexDefinitions.indexNameOf(current).orElse("");
        Optional<String> defined = tables.find(base.get())
                .map(table -> IndexDefinitions.texts(table).get(name));
        if (defined.isEmpty() || kept.isEmpty() || !areOfOneIndex(base.get(), name, defined.get(), kept.get())) {
            throw new DoNotRetryIOException(
                    "Cannot " + (isNewOrder ? "order the rebuild of" : "change the definition of")
                            + " the index of " + current.getTableName() + ", nothing was changed: " + base.get()
                            + (defined.isEmpty() ? " does not define it" : " defines another one")
                            + " [defined=" + defined.orElse("") + ", to be kept=" + kept.orElse("")
                            + "]; rebuild and disable indexes with bin/diffindex rebuild-index and disable-index");
        }
    }

    /**
     * Requires that an index which a base table is to define for the first time does not have the name of an index whose columns
     * were changed and which is DISABLED, or is rebuilt: that one could not return. A client that knows no generations of indexes
     * does not find it under the name, and another one may not have seen it.
     *
     * @param current the descriptor of a base table, or of another table
     * @throws DoNotRetryIOException if it does; the message says what to do
     */
    static void requireNoOther(TableDescriptor current, TableDescriptor changed, StoredTables tables)
            throws IOException {
        Map<String, String> entered = new TreeMap<>(IndexDefinitions.texts(changed));
        entered.keySet().removeAll(IndexDefinitions.texts(current).keySet());
        entered.values().removeIf(text -> IndexDefinitions.roleOf(text) != IndexRole.IN_SERVICE);
        if (entered.isEmpty()) {
            return;
        }
        Map<String, TableDescriptor> kept = new TreeMap<>();
        for (TableDescriptor own : tables.indexTablesOf(changed.getTableName())) {
            IndexDefinitions.keptIn(own)
                    .filter(text -> IndexDefinitions.roleOf(text) == IndexRole.IN_SERVICE)
                    .flatMap(text -> IndexDefinitions.indexNameOf(own))
                    .ifPresent(name -> kept.put(name, own));
        }
        for (String name : entered.keySet()) {
            String index = GenerationName.of(name).index();
            Optional<TableDescriptor> other = kept.entrySet().stream()
                    .filter(one -> GenerationName.of(one.getKey()).index().equals(index))
                    .map(Map.Entry::getValue)
                    .findFirst();
            if (other.isPresent() && !kept.containsKey(name)) {
                throw new DoNotRetryIOException("Table " + changed.getTableName() + " cannot have the index " + index
                        + ", nothing was changed: it has one of that name already, which is DISABLED or rebuilt, and"
                        + " whose table is " + other.get().getTableName()
                        + "; enable it, or drop it first, with a client of the build of the servers");
            }
        }
    }

    private static boolean areOfOneIndex(TableName base, String name, String defined, String kept) {
        if (defined.equals(kept)) {
            return true; // whether or not this master has the classes of its types
        }
        IndexDefinition one = loaded(base, name, defined);
        IndexDefinition other = loaded(base, name, kept);
        return one != null && other != null && one.withScheme(other.scheme()).equals(other);
    }

    /** Returns a definition; null if this process cannot load it. */
    private static IndexDefinition loaded(TableName base, String name, String text) {
        return TableIndexes.of(base, Map.of(name, text)).loaded().get(name);
    }
}
