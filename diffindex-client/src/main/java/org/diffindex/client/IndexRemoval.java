package org.diffindex.client;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.GenerationName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexRole;
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
    private final DefinitionRemoval definitions;
    private final boolean isForced;

    /** Whether a generation beside the one in service is removed: to drop the index again would drop that, too. */
    private final boolean isPart;

    /**
     * Returns the removal of a shadow. Its definition is removed first, and only while it is a shadow: nobody reads it, and a
     * client that lets readers go over to it at the same time must not lose it.
     */
    static IndexRemoval ofShadow(Admin admin, TableName table, String name) throws NoSuchIndexException {
        return new IndexRemoval(admin, table, name, true, IndexRole.SHADOW);
    }

    /**
     * Returns the removal of a retired generation, which is removed only while it is one.
     *
     * @param isForced whether not to wait until the regions of its table refuse readers
     */
    static IndexRemoval ofRetired(Admin admin, TableName table, String name, boolean isForced)
            throws NoSuchIndexException {
        return new IndexRemoval(admin, table, name, isForced, IndexRole.RETIRED);
    }

    /**
     * Creates a removal of an index, or of what is left of one.
     *
     * @param isForced whether not to wait until the regions of the index table refuse readers, which HBase cannot make
     *     them do while one of them cannot be opened
     */
    IndexRemoval(Admin admin, TableName table, String index, boolean isForced) throws NoSuchIndexException {
        this(admin, table, index, isForced, null);
    }

    /** Creates a removal of a definition that has a role; of any role if that is null. */
    private IndexRemoval(Admin admin, TableName table, String index, boolean isForced, IndexRole role)
            throws NoSuchIndexException {
        this.admin = admin;
        this.table = table;
        this.index = index;
        this.indexTable = indexTable(table, index);
        this.isPart = role != null;
        this.definitions = role == null
                ? new DefinitionRemoval(admin, table, index, indexTable)
                : new DefinitionRemoval(admin, table, index, indexTable, role);
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
        boolean defined = definitions.isDefined();
        Optional<TableDescriptor> own = definitions.ownTable();
        if (isPart && defined) {
            definitions.requireRemovable(own);
        }
        if (!defined && own.isEmpty()) {
            throw nothingToDrop();
        }
        Optional<String> id = own.map(IndexDefinitions::indexIdOf);
        if (defined) {
            if (own.isPresent() && !isForced) {
                refuseReaders(own.get());
            }
            definitions.remove(id, afterFailure());
        } else if (own.filter(this::mayBeMaintained).isPresent()) {
            definitions.settle();
        }
        if (id.isPresent()) {
            removeTable(id.get());
        }
        definitions.forgetRevision();
    }

    /**
     * Returns whether regions of the base table may still write to a table that it does not define: its drop, its disabling, or
     * the cancellation of its change, which does not mark the table, was interrupted.
     */
    private boolean mayBeMaintained(TableDescriptor own) {
        return isPart
                || (!isForced
                        && (IndexDefinitions.isDropping(own)
                                || IndexDefinitions.keptIn(own).isPresent()));
    }

    private String afterFailure() {
        if (isPart) {
            return "Writes may still maintain it";
        }
        return (isForced ? "W" : "It cannot be read any more; w") + "rites may still maintain it; drop it again";
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
                        (isPart ? "" : "Index " + index + " of " + table + " could not be dropped: its table ")
                                + indexTable + " could not be marked as " + IndexState.DROPPING + ": " + e.getMessage()
                                + ". Every write still maintains the index;"
                                + " reads by it may be refused, now or later. "
                                + (isPart
                                        ? "If a region of " + indexTable + " cannot be opened, repair it first, or"
                                                + " start the clients again that have read by the former columns, and"
                                                + " force its removal (alter-index " + table + " "
                                                + GenerationName.of(index).index() + " --remove-former --force)"
                                        : "Drop it again. If a region of " + indexTable + " cannot be opened, repair it"
                                                + " first, or let nobody read by the index and force the drop"
                                                + " (drop-index --force)"),
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

    private String afterDeletionFailed() {
        if (isPart) {
            return "";
        }
        return (isForced ? ". Clients that know the index may read it, without later writes" : "")
                + "; drop the index again";
    }

    /**
     * Deletes the index table if it is still that of the index dropped: another client may have created an index of the
     * same name since the definition was removed.
     */
    private void removeTable(String id) throws IOException {
        try {
            if (definitions.idOfTable().filter(id::equals).isPresent()) {
                new LeftOverTable(admin, table, index, indexTable, id).delete();
            }
        } catch (IndexExistsException e) {
            throw e;
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Table " + table + " no longer maintains index " + index + ", but the index's table " + indexTable
                            + " could not be deleted: " + e.getMessage()
                            + afterDeletionFailed(),
                    e);
        }
    }
}
