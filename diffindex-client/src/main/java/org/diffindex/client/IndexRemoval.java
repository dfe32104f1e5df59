package org.diffindex.client;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.tasks.IndexStates;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drops one index, or the remains of one, in steps: marks its table, whose regions then refuse readers; removes its
 * definition, so that no write maintains it any more; deletes its table. Every write maintains the index until all
 * regions of its table refuse readers, unless the removal is forced, which does not mark the table. A removal that was
 * interrupted starts over.
 */
final class IndexRemoval {
    private static final Logger LOG = LoggerFactory.getLogger(IndexRemoval.class);

    private final Admin admin;
    private final TableName table;
    private final String index;
    private final TableName indexTable;
    private final boolean isForced;

    /**
     * Creates a removal.
     *
     * @param isForced whether not to wait until the regions of the index table refuse readers, which HBase cannot make
     *     them do while one of them cannot be opened
     */
    IndexRemoval(Admin admin, TableName table, String index, boolean isForced) throws NoSuchIndexException {
        this.admin = admin;
        this.table = table;
        this.index = index;
        this.indexTable = indexTable(table, index);
        this.isForced = isForced;
    }

    /**
     * Returns the table of the index, whatever its columns are.
     *
     * @throws NoSuchIndexException if no index can have that name
     */
    private static TableName indexTable(TableName table, String index) throws NoSuchIndexException {
        try {
            return IndexDefinition.indexTable(table, index);
        } catch (IllegalArgumentException e) {
            throw new NoSuchIndexException(table, index, e);
        }
    }

    void run() throws IOException {
        boolean defined = definedIn(find(table));
        Optional<TableDescriptor> own = ownTable();
        if (!defined && own.isEmpty()) {
            throw nothingToDrop();
        }
        Optional<String> id = own.map(IndexDefinitions::indexIdOf);
        if (defined) {
            if (own.isPresent() && !isForced) {
                refuseReaders(own.get());
            }
            removeDefinition(id);
        }
        if (id.isPresent()) {
            removeTable(id.get());
        }
        forgetRevision();
    }

    private boolean definedIn(Optional<TableDescriptor> base) {
        return base.filter(descriptor -> IndexDefinitions.texts(descriptor).containsKey(index))
                .isPresent();
    }

    private IOException nothingToDrop() throws IOException {
        return admin.tableExists(table)
                ? new NoSuchIndexException(table, index)
                : new TableNotFoundException("There is no table " + table + ", and no table of an index " + index
                        + " of it. Nothing was changed");
    }

    /**
     * Marks the index table; returns when every region of it has been opened with the mark. No region of a disabled
     * table answers a reader, so the removal then continues even if the table cannot be marked.
     */
    private void refuseReaders(TableDescriptor own) throws IOException {
        try {
            boolean unused = IndexStates.drop(admin, indexTable, IndexDefinitions.indexIdOf(own));
        } catch (IOException e) {
            if (!isUnreadable(e)) {
                throw new DoNotRetryIOException(
                        "Index " + index + " of " + table + " could not be dropped: its table " + indexTable
                                + " could not be marked as " + IndexState.DROPPING + ": " + e.getMessage()
                                + ". Every write still maintains the index;"
                                + " reads by it may be refused, now or later. Drop it again. If a region of "
                                + indexTable + " cannot be opened, repair it first, or let nobody read by the index and"
                                + " force the drop (drop-index --force)",
                        e);
            }
            LOG.warn(
                    "Table {} of an index that is dropped could not be marked, and is disabled or gone", indexTable, e);
        }
    }

    private boolean isUnreadable(IOException failure) {
        try {
            return admin.isTableDisabled(indexTable);
        } catch (TableNotFoundException e) {
            return true;
        } catch (IOException e) {
            failure.addSuppressed(e);
            return false;
        }
    }

    /**
     * Removes the revision after the last index, in a change of its own, because the change that drops the index must
     * carry it. The revision stays, harmlessly, if removing it would reopen the regions. A removal that was interrupted
     * after it had removed the definition has left it.
     */
    private void forgetRevision() {
        try {
            while (!isRevisionForgotten()) {
                LOG.info("Table {} was changed by another client; the revision is removed after that", table);
            }
        } catch (IOException e) {
            LOG.warn("The revision of the indexes of {}, which has no index any more, could not be removed", table, e);
        }
    }

    /**
     * Removes the revision, if one is left without an index; returns false if another client has changed the table's
     * descriptor at the same time.
     */
    private boolean isRevisionForgotten() throws IOException {
        Optional<TableDescriptor> base = find(table).filter(IndexRemoval::isRevisionLeft);
        return base.isEmpty()
                || Descriptors.replace(
                        admin,
                        base.get(),
                        () -> admin.modifyTable(IndexDefinitions.forgettingRevision(base.get()), false));
    }

    private static boolean isRevisionLeft(TableDescriptor base) {
        return IndexDefinitions.revisionOf(base) != 0
                && !IndexDefinitions.definesAny(base)
                && Descriptors.canKeepRegionsOpen(base);
    }

    /** Returns the index table's descriptor; empty if there is no such table, or it is of no index of this base table. */
    private Optional<TableDescriptor> ownTable() throws IOException {
        return find(indexTable).filter(found -> IndexDefinitions.baseTableOf(found)
                .filter(table::equals)
                .isPresent());
    }

    /** Returns the id of the index whose table exists. */
    private Optional<String> idOfTable() throws IOException {
        return ownTable().map(IndexDefinitions::indexIdOf);
    }

    private Optional<TableDescriptor> find(TableName name) throws IOException {
        return Descriptors.find(admin, name);
    }

    /** Removes the definition from the base table; repeats that as often as other clients change the table. */
    private void removeDefinition(Optional<String> id) throws IOException {
        try {
            while (!isRemoved(id)) {
                LOG.info("Table {} was changed by another client; index {} is dropped after that", table, index);
            }
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Index " + index + " could not be removed from table " + table + ": " + e.getMessage() + ". "
                            + (isForced ? "W" : "It cannot be read any more; w")
                            + "rites may still maintain it; drop it again",
                    e);
        }
    }

    /**
     * Removes the definition from the base table as it is now; returns false if another client has changed the table's
     * descriptor at the same time. If the index table is no longer that of the index, another client has dropped the
     * index; a definition of its name is then that of a later one, which was entered only after the table of that.
     *
     * @param id of the index table; empty if the index has none
     */
    private boolean isRemoved(Optional<String> id) throws IOException {
        Optional<TableDescriptor> base = find(table);
        if (!definedIn(base) || !idOfTable().equals(id)) {
            return true;
        }
        TableDescriptor without = IndexDefinitions.without(base.get(), index);
        TableDescriptor changed = isLast(without) ? Coprocessors.withoutObserver(without) : without;
        return Descriptors.replace(admin, base.get(), () -> admin.modifyTable(changed));
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
                new IndexTableDeletion(admin, table, index, indexTable, id).run();
            }
        } catch (IndexExistsException e) {
            throw e;
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Table " + table + " no longer maintains index " + index + ", but the index's table " + indexTable
                            + " could not be deleted: " + e.getMessage()
                            + (isForced ? ". Clients that know the index may read it, without later writes" : "")
                            + "; drop the index again",
                    e);
        }
    }
}
