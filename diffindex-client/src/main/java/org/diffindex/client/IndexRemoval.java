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
 * The steps that drop one index, or what is left of one: remove its definition, so that no write keeps it any more, then
 * delete its table.
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

    /** The table that would hold the index, whatever its columns are; never one that is no index's. */
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
                throw new TableNotFoundException("There is no table " + table + ", and nothing is left of an index "
                        + index + " of it. Nothing was changed");
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
     * With the last index the revision may go, in a change of its own: the one that drops the index must have it. It stays if
     * the regions would have to be opened again for that; it does no harm.
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
            LOG.warn("The revision of the indexes of {}, which has none any more, could not be removed", table, e);
        }
    }

    /** The id of the index whose table is there; empty if there is no table of an index of this table. */
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
                            + ". Its table " + indexTable + " is still there; drop the index again",
                    e);
        }
    }

    /** Whether no index is left; one whose definition cannot be read is left too. */
    private static boolean isLast(TableDescriptor without) {
        try {
            return IndexDefinitions.of(without).isEmpty();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** While the regions were opened without the index, somebody may have made another one of its name: that one's table stays. */
    private void removeTable(String id) throws IOException {
        try {
            if (idOfTable().filter(id::equals).isPresent()) {
                deleteTable(admin, indexTable);
            }
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Index " + index + " is no longer kept by table " + table + ", but its table " + indexTable
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
