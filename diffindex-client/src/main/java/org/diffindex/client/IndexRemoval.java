package org.diffindex.client;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinitions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drops one index, or the remains of one, in steps: removes its definition, so that no write maintains it any more,
 * then deletes its table.
 */
final class IndexRemoval {
    private static final Logger LOG = LoggerFactory.getLogger(IndexRemoval.class);

    private final Admin admin;
    private final TableName table;
    private final String index;
    private final TableName indexTable;

    IndexRemoval(Admin admin, TableName table, String index) throws NoSuchIndexException {
        this.admin = admin;
        this.table = table;
        this.index = index;
        this.indexTable = indexTable(table, index);
    }

    /**
     * Returns the table of the index, whatever its columns are.
     *
     * @throws NoSuchIndexException if no index can have that name
     */
    private static TableName indexTable(TableName table, String index) throws NoSuchIndexException {
        try {
            return TableName.valueOf(table.getNamespaceAsString(), table.getQualifierAsString() + "." + index);
        } catch (IllegalArgumentException e) {
            throw new NoSuchIndexException(table, index, e);
        }
    }

    void run() throws IOException {
        Optional<TableDescriptor> base = find(table);
        Optional<TableDescriptor> without = base.map(descriptor -> IndexDefinitions.without(descriptor, index));
        boolean defined = !base.equals(without);
        Optional<String> idOfTable = idOfTable();
        if (!defined && idOfTable.isEmpty()) {
            if (base.isEmpty()) {
                throw new TableNotFoundException("There is no table " + table + ", and no table of an index " + index
                        + " of it. Nothing was changed");
            }
            throw new NoSuchIndexException(table, index);
        }
        if (defined) {
            removeDefinition(without.get());
        }
        if (idOfTable.isPresent()) {
            removeTable(idOfTable.get());
        }
        if (defined) {
            forgetRevision();
        }
    }

    /**
     * Removes the revision after the last index, in a change of its own, because the change that drops the index must
     * carry it. The revision stays, harmlessly, if removing it would reopen the regions.
     */
    private void forgetRevision() {
        try {
            TableDescriptor current = admin.getDescriptor(table);
            TableDescriptor plain = IndexDefinitions.withRevision(current, 0);
            boolean isLeft = !IndexDefinitions.definesAny(current) && !plain.equals(current);
            if (isLeft && IndexCompletion.canKeepRegionsOpen(plain)) {
                admin.modifyTable(plain, false);
            }
        } catch (IOException e) {
            LOG.warn("The revision of the indexes of {}, which has no index any more, could not be removed", table, e);
        }
    }

    /**
     * Returns the id of the index whose table exists; empty if the table does not exist or belongs to no index of this
     * base table.
     */
    private Optional<String> idOfTable() throws IOException {
        return find(indexTable)
                .filter(found -> IndexDefinitions.baseTableOf(found)
                        .filter(table::equals)
                        .isPresent())
                .map(IndexDefinitions::indexIdOf);
    }

    private Optional<TableDescriptor> find(TableName name) throws IOException {
        return admin.tableExists(name) ? Optional.of(admin.getDescriptor(name)) : Optional.empty();
    }

    private void removeDefinition(TableDescriptor without) throws IOException {
        try {
            admin.modifyTable(isLast(without) ? Coprocessors.withoutObserver(without) : without);
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Index " + index + " could not be removed from table " + table + ": " + e.getMessage()
                            + ". Its table " + indexTable + " still exists; drop the index again",
                    e);
        }
    }

    /** Returns whether no index is left; an index whose definition cannot be read is left. */
    private static boolean isLast(TableDescriptor without) {
        try {
            return IndexDefinitions.of(without).isEmpty();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Deletes the index table if it is still that of the index dropped: another client may have created an index of the
     * same name since the definition was removed.
     */
    private void removeTable(String id) throws IOException {
        try {
            if (idOfTable().filter(id::equals).isPresent()) {
                deleteTable(admin, indexTable);
            }
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Table " + table + " no longer maintains index " + index + ", but the index's table " + indexTable
                            + " could not be deleted: " + e.getMessage() + "; drop the index again",
                    e);
        }
    }

    /** Disables and deletes a table. */
    static void deleteTable(Admin admin, TableName name) throws IOException {
        if (!admin.isTableDisabled(name)) {
            admin.disableTable(name);
        }
        admin.deleteTable(name);
    }
}
