package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.model.Rebuild;

/**
 * Refuses operations on whole tables that would separate a table from its indexes, or an index table from its base table.
 * Thread-safe.
 */
final class TableOperations {
    private final StoredTables tables;

    TableOperations(StoredTables tables) {
        this.tables = tables;
    }

    /**
     * Requires that a table has no index, not even one that is DISABLED or being rebuilt, and that no table defines its index. The
     * table of an index whose definition only that table has is deleted to drop the index.
     *
     * @throws DoNotRetryIOException if the table may not be deleted; the message says what to do
     */
    Void requireDeletable(TableName table) throws IOException {
        Optional<TableDescriptor> descriptor = tables.find(table);
        if (descriptor.isPresent()) {
            Set<String> indexes = IndexDefinitions.texts(descriptor.get()).keySet();
            if (!indexes.isEmpty()) {
                throw has(indexes, table);
            }
            PendingRebuilds.requireNone("delete", descriptor.get(), tables);
            requireNoneDisabled(descriptor.get());
            return refuseIfIndexTable(descriptor.get(), "delete");
        }
        return null;
    }

    private static DoNotRetryIOException has(Object indexes, TableName table) {
        return new DoNotRetryIOException("Cannot delete " + table + ", nothing was changed: it has the indexes "
                + indexes + "; drop them first");
    }

    private void requireNoneDisabled(TableDescriptor base) throws IOException {
        TableName name = base.getTableName();
        List<String> disabled = tables.indexTablesOf(name).stream()
                .filter(own -> IndexDefinitions.keptIn(own).isPresent())
                .flatMap(own -> IndexDefinitions.indexNameOf(own).stream())
                .sorted()
                .toList();
        if (!disabled.isEmpty()) {
            throw has(disabled + ", which are DISABLED or being enabled", name);
        }
    }

    /**
     * Requires that a table is not that of an index, unless it is to be emptied: to be enabled or rebuilt.
     *
     * @throws DoNotRetryIOException if the table may not be truncated; the message says what to do
     */
    Void requireTruncatable(TableName table) throws IOException {
        Optional<TableDescriptor> own = tables.find(table)
                .filter(found -> IndexDefinitions.baseTableOf(found).isPresent());
        if (own.isPresent()
                && IndexDefinitions.stateOf(own.get()) != IndexState.DISABLED
                && !Rebuild.isDue(own.get())) {
            throw new DoNotRetryIOException(
                    "Cannot truncate " + table + ", nothing was changed: it is the table of an index" + " that is "
                            + IndexDefinitions.stateOf(own.get()) + "; rebuild the index instead, or drop it");
        }
        return own.isPresent() ? refuseIfIndexTable(own.get(), "truncate") : null;
    }

    /**
     * Requires that a region is not one of an index.
     *
     * @throws DoNotRetryIOException if the region may not be truncated; the message says what to do
     */
    Void requireTruncatable(RegionInfo region) throws IOException {
        Optional<TableDescriptor> table = tables.find(region.getTable());
        return table.isPresent() ? refuseIfIndexTable(table.get(), "truncate a region of") : null;
    }

    /**
     * Returns the present descriptor of a table over which a snapshot is to be restored.
     *
     * @throws DoNotRetryIOException if it is missing, or the table is that of an index; the message says what to do
     */
    TableDescriptor toRestore(TableName name) throws IOException {
        TableDescriptor current = tables.find(name)
                .orElseThrow(() -> new DoNotRetryIOException("Cannot restore a snapshot of " + name
                        + ", nothing was changed: its descriptor is missing, perhaps because the table is being truncated;"
                        + " try again"));
        Void unused = refuseIfIndexTable(current, "restore a snapshot of");
        return current;
    }

    private Void refuseIfIndexTable(TableDescriptor descriptor, String verb) throws IOException {
        Optional<TableName> base = IndexDefinitions.baseTableOf(descriptor);
        Optional<TableDescriptor> baseDescriptor = base.isEmpty() ? Optional.empty() : tables.find(base.get());
        if (baseDescriptor.isEmpty()) {
            return null;
        }
        TableName table = descriptor.getTableName();
        for (String index : IndexDefinitions.texts(baseDescriptor.get()).keySet()) {
            if (IndexDefinition.indexTable(base.get(), index).equals(table)) {
                throw new DoNotRetryIOException("Cannot " + verb + " " + table + ", nothing was changed: it is"
                        + " the table of index " + index + " on " + base.get() + "; drop the index instead");
            }
        }
        return null;
    }
}
