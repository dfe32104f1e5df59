package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.Rebuild;

/**
 * Protects the indexes of a base table that are being {@linkplain Rebuild rebuilt}, and whose definitions the table therefore
 * lacks for a while: refuses operations after which a definition could not be entered again, or would not fit the table.
 */
final class PendingRebuilds {
    private PendingRebuilds() {}

    /**
     * Refuses to change a table as long as it lacks the definition of an index that is being rebuilt. A change of its
     * definitions, which changes nothing else, is not refused, unless the table would lose the coprocessor or the revision.
     *
     * @throws DoNotRetryIOException if it is refused
     */
    static void requireNone(TableDescriptor current, TableDescriptor changed, StoredTables tables) throws IOException {
        boolean isHarmless = IndexDefinitions.isNextOf(current, changed)
                && !IndexDefinitions.forgetsRevision(current, changed)
                && changed.hasCoprocessor(IndexObserver.class.getName());
        if (!isHarmless) {
            requireNone("change", current, tables);
        }
    }

    /**
     * Refuses an operation on a table, likewise.
     *
     * @param verb what the operation does
     * @throws DoNotRetryIOException if it is refused
     */
    static void requireNone(String verb, TableDescriptor current, StoredTables tables) throws IOException {
        if (IndexDefinitions.revisionOf(current) == 0) {
            return; // it never had an index, or all were dropped
        }
        TableName name = current.getTableName();
        List<String> pending = tables.indexTablesOf(name).stream()
                .filter(Rebuild::isDue)
                .flatMap(own -> IndexDefinitions.indexNameOf(own).stream())
                .filter(index -> !IndexDefinitions.texts(current).containsKey(index))
                .sorted()
                .toList();
        if (!pending.isEmpty()) {
            throw new DoNotRetryIOException(
                    "Cannot " + verb + " " + name + ", nothing was changed: the master rebuilds its"
                            + " indexes " + pending
                            + ", and has yet to enter their definitions again; try again in a minute, or drop"
                            + " these indexes");
        }
    }
}
