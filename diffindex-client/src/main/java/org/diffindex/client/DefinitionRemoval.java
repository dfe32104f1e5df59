package org.diffindex.client;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexRole;
import org.diffindex.tasks.DescriptorChange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the definition of one index from its base table, so that no write maintains the index any more. Every region of
 * the base table has been opened without it when that returns.
 */
final class DefinitionRemoval {
    private static final Logger LOG = LoggerFactory.getLogger(DefinitionRemoval.class);

    private final Admin admin;
    private final TableName table;
    private final String index;
    private final TableName indexTable;
    private final Set<IndexRole> removable;

    DefinitionRemoval(Admin admin, TableName table, String index, TableName indexTable) {
        this(admin, table, index, indexTable, EnumSet.allOf(IndexRole.class));
    }

    /** Creates a removal that fails if the definition has another role by then. */
    DefinitionRemoval(Admin admin, TableName table, String index, TableName indexTable, IndexRole role) {
        this(admin, table, index, indexTable, EnumSet.of(role));
    }

    private DefinitionRemoval(
            Admin admin, TableName table, String index, TableName indexTable, Set<IndexRole> removable) {
        this.admin = admin;
        this.table = table;
        this.index = index;
        this.indexTable = indexTable;
        this.removable = removable;
    }

    /** Returns whether the base table defines the index. */
    boolean isDefined() throws IOException {
        return definedIn(find(table));
    }

    private boolean definedIn(Optional<TableDescriptor> base) {
        return base.filter(descriptor -> IndexDefinitions.texts(descriptor).containsKey(index))
                .isPresent();
    }

    /** Returns the index table's descriptor; empty if there is no such table, or it is of no index of this base table. */
    Optional<TableDescriptor> ownTable() throws IOException {
        return find(indexTable).filter(found -> IndexDefinitions.baseTableOf(found)
                .filter(table::equals)
                .isPresent());
    }

    /** Returns the id of the index whose table exists. */
    Optional<String> idOfTable() throws IOException {
        return ownTable().map(IndexDefinitions::indexIdOf);
    }

    private Optional<TableDescriptor> find(TableName name) throws IOException {
        return DescriptorChange.find(admin, name);
    }

    /**
     * Removes the definition from the base table; repeats that as often as other clients change the table.
     *
     * @param id of the index table; empty if the index has none
     * @param after what is true if that fails, and what to do, for the message
     */
    void remove(Optional<String> id, String after) throws IOException {
        try {
            boolean isTried = false;
            while (!isRemoved(id, isTried)) {
                isTried = true;
                LOG.info(
                        "Table {} was changed by another client; the definition of {} is removed after that",
                        table,
                        index);
            }
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Index " + index + " could not be removed from table " + table + ": " + e.getMessage() + ". "
                            + after,
                    e);
        }
    }

    /**
     * Removes the definition from the base table as it is now; returns false if another client has changed the table's
     * descriptor at the same time. If the index table is no longer that of the index, another client has dropped the
     * index; a definition of its name is then that of a later one, which was entered only after the table of that.
     *
     * @param id of the index table; empty if the index has none
     * @param isTried whether this removal may have removed it already, and not waited for the regions
     */
    private boolean isRemoved(Optional<String> id, boolean isTried) throws IOException {
        Optional<TableDescriptor> base = find(table);
        if (!definedIn(base) || !idOfTable().equals(id)) {
            return !isTried || isSettled(base);
        }
        requireRemovable(base.get());
        TableDescriptor without = IndexDefinitions.without(base.get(), index);
        TableDescriptor changed = isLast(without) ? Coprocessors.withoutObserver(without) : without;
        return DescriptorChange.isMade(admin, base.get(), changed);
    }

    /**
     * Requires that the definition has a role in which it may be removed, and that a table found is the one of it: another client
     * may have dropped the index, and created one of the same name.
     */
    void requireRemovable(Optional<TableDescriptor> own) throws IOException {
        Optional<TableDescriptor> base = find(table);
        if (!definedIn(base)) {
            return; // there is none left to remove
        }
        requireRemovable(base.get());
        boolean isOther = own.filter(
                        found -> !IndexDefinitions.defines(base.get(), index, IndexDefinitions.indexIdOf(found)))
                .isPresent();
        if (isOther) {
            throw new DoNotRetryIOException("it was dropped by another client meanwhile, and " + indexTable
                    + " is the table of a later index; nothing was changed");
        }
    }

    private void requireRemovable(TableDescriptor base) throws DoNotRetryIOException {
        IndexRole role = IndexDefinitions.roleOf(IndexDefinitions.texts(base).get(index));
        if (!removable.contains(role)) {
            throw new DoNotRetryIOException("it has another role by now, " + role);
        }
    }

    /**
     * Waits until every region has been opened without the definition, unless the revision is forgotten, as is done after that;
     * returns false if another client has changed the table's descriptor at the same time.
     */
    private boolean isSettled(Optional<TableDescriptor> base) throws IOException {
        Optional<TableDescriptor> revised = base.filter(found -> IndexDefinitions.revisionOf(found) != 0);
        return revised.isEmpty()
                || DescriptorChange.isMade(admin, revised.get(), IndexDefinitions.again(revised.get()));
    }

    /** Waits until every region has been opened without the definition, which an interrupted removal has removed. */
    void settle() throws IOException {
        while (!isSettled(find(table))) {
            LOG.info("Table {} was changed by another client; its regions are waited for after that", table);
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
     * Removes the revision after the last index, in a change of its own, because the change that drops the index must
     * carry it. The revision stays, harmlessly, if removing it would reopen the regions. A removal that was interrupted
     * after it had removed the definition has left it.
     */
    void forgetRevision() {
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
        Optional<TableDescriptor> base = find(table).filter(DefinitionRemoval::isRevisionLeft);
        return base.isEmpty()
                || DescriptorChange.isMadeWithoutReopening(
                        admin, base.get(), IndexDefinitions.forgettingRevision(base.get()));
    }

    private static boolean isRevisionLeft(TableDescriptor base) {
        return IndexDefinitions.revisionOf(base) != 0
                && !IndexDefinitions.definesAny(base)
                && Descriptors.canKeepRegionsOpen(base);
    }
}
