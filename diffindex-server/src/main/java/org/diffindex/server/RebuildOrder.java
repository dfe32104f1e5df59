package org.diffindex.server;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.security.Superusers;
import org.apache.hadoop.hbase.security.User;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.Rebuild;
import org.diffindex.model.TableIndexes;

/**
 * Checks orders to {@linkplain Rebuild rebuild} an index that clients give. The master enters the definition that the index
 * table keeps into the base table, by its own right: a user with CREATE on the index table alone must not get an index of other
 * columns by that. Thread-safe; has no mutable state.
 */
final class RebuildOrder {
    private RebuildOrder() {}

    /**
     * Requires that a table is not created as that of an index which is to be rebuilt. None has to be.
     *
     * @throws DoNotRetryIOException if it is; the message says what to do
     */
    static void requireNone(TableDescriptor created) throws DoNotRetryIOException {
        if (Rebuild.isDue(created)) {
            throw new DoNotRetryIOException("Cannot create table " + created.getTableName()
                    + ", nothing was changed: its descriptor orders the rebuild of an index (diffindex.rebuild). A copied"
                    + " descriptor does not bring its indexes along: leave out the values diffindex.*");
        }
    }

    /**
     * Requires that an order keeps the definition of the index that the base table has, apart from its scheme, which may be
     * changed meanwhile. Superusers and the master itself, which repeat orders while the base table lacks the definition, may
     * give others.
     *
     * @param current the descriptor of an index table, or of another table
     * @param caller the user who changes it; empty if the master does
     * @throws DoNotRetryIOException if it keeps another definition; the message says what to do
     */
    static void requireOwnDefinition(
            TableDescriptor current, TableDescriptor changed, Optional<User> caller, DefinitionChange.Tables tables)
            throws IOException {
        Optional<TableName> base = IndexDefinitions.baseTableOf(current);
        boolean isNewOrder = Rebuild.isDue(changed)
                && !(Rebuild.isDue(current)
                        && IndexDefinitions.keptIn(current).equals(IndexDefinitions.keptIn(changed)));
        if (base.isEmpty()
                || !isNewOrder
                || caller.filter(user -> !Superusers.isSuperUser(user)).isEmpty()) {
            return;
        }
        String name = IndexDefinitions.indexNameOf(current).orElse("");
        Optional<String> kept = IndexDefinitions.keptIn(changed);
        Optional<String> defined = tables.find(base.get())
                .map(table -> IndexDefinitions.texts(table).get(name));
        if (defined.isEmpty() || kept.isEmpty() || !areOfOneIndex(base.get(), name, defined.get(), kept.get())) {
            throw new DoNotRetryIOException("Cannot order the rebuild of the index of " + current.getTableName()
                    + ", nothing was changed: " + base.get()
                    + (defined.isEmpty() ? " does not define it" : " defines another one")
                    + " [defined=" + defined.orElse("") + ", to be built=" + kept.orElse("")
                    + "]; rebuild indexes with bin/diffindex rebuild-index");
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
