package org.diffindex.client;

import java.io.IOException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotDisabledException;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.tasks.DescriptorChange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table of an index that its base table does not define, which is disabled and then deleted or emptied. Such a table
 * looks the same whether it is left by an interrupted creation or removal, is that of a DISABLED index, or belongs to a
 * creation by another client that has not entered its definition yet. So if the definition is entered meanwhile, or the
 * table turns out to be another index's, or the operation fails, the table is enabled again.
 */
final class LeftOverTable {
    private static final Logger LOG = LoggerFactory.getLogger(LeftOverTable.class);

    private final Admin admin;
    private final TableName base;
    private final String index;
    private final TableName indexTable;
    private final String id;

    /**
     * Creates the operations on a table.
     *
     * @param id the id of the index whose table it is: by the time it is disabled, another client may have
     *     deleted that table and created its own
     */
    LeftOverTable(Admin admin, TableName base, String index, TableName indexTable, String id) {
        this.admin = admin;
        this.base = base;
        this.index = index;
        this.indexTable = indexTable;
        this.id = id;
    }

    /** An operation on the disabled table. */
    @FunctionalInterface
    private interface Operation {
        void run() throws IOException;
    }

    /**
     * Deletes the table. Returns normally if another client deletes it meanwhile.
     *
     * @throws IndexExistsException if the base table defines the index, or the table is another index's; it was not
     *     deleted
     * @throws IOException if the table was not deleted, or this is not known. The table may be disabled if the message
     *     says so, if it was disabled before, or if the call was interrupted or timed out: HBase may complete the
     *     disabling after it has refused the enabling
     */
    void delete() throws IOException {
        try {
            disableAnd(() -> admin.deleteTable(indexTable));
        } catch (TableNotFoundException e) {
            LOG.debug("Table {} was deleted by another client", indexTable, e);
        }
    }

    /**
     * Empties the table, which keeps its regions and its permissions, and is enabled then.
     *
     * @throws IndexExistsException if the base table defines the index, or the table is another index's; it was not
     *     emptied
     * @throws IOException as {@link #delete}
     */
    void empty() throws IOException {
        disableAnd(() -> admin.truncateTable(indexTable, true));
    }

    private void disableAnd(Operation operation) throws IOException {
        requireLeftOver();
        if (!admin.isTableDisabled(indexTable) && disable()) {
            runOrEnable(operation);
        } else {
            run(operation);
        }
    }

    /** Runs the operation on the table that this call has disabled; enables it if that fails. */
    private void runOrEnable(Operation operation) throws IOException {
        try {
            requireLeftOver();
            run(operation);
        } catch (TableNotFoundException e) {
            throw e; // there is nothing to enable
        } catch (IOException e) {
            throw enabledAgain(e);
        }
    }

    private void requireLeftOver() throws IOException {
        if (isDefined()) {
            throw enteredByAnother();
        }
        if (!IndexDefinitions.indexIdOf(Descriptors.of(admin, indexTable)).equals(id)) {
            throw new IndexExistsException("Table " + indexTable + " was replaced by another client meanwhile, which is"
                    + " creating or enabling index " + index + " of " + base
                    + "; the table was left to it. To be rid of"
                    + " the index, drop it");
        }
    }

    private boolean isDefined() throws IOException {
        return DescriptorChange.find(admin, base)
                .filter(descriptor -> IndexDefinitions.texts(descriptor).containsKey(index))
                .isPresent();
    }

    private IndexExistsException enteredByAnother() {
        return new IndexExistsException("Index " + index + " of " + base + " was entered by another client meanwhile,"
                + " which is creating or enabling it, or has done so; its table " + indexTable
                + " was left to it. To be rid of"
                + " the index, drop it");
    }

    /**
     * Disables the table; returns false if another client has disabled it meanwhile. If HBase may still disable it after
     * a failure, enables it after that.
     */
    private boolean disable() throws IOException {
        try {
            admin.disableTable(indexTable);
            return true;
        } catch (TableNotEnabledException e) {
            if (admin.isTableDisabled(indexTable)) {
                return false;
            }
            throw e;
        } catch (DoNotRetryIOException e) {
            throw e; // it was not disabled by this call
        } catch (IOException e) {
            throw enabledAgain(e);
        }
    }

    /** Runs the operation. The master refuses it if the definition was entered after the last look. */
    private void run(Operation operation) throws IOException {
        try {
            operation.run();
        } catch (IOException e) {
            if (isDefinedNow(e)) {
                IndexExistsException clear = enteredByAnother();
                clear.addSuppressed(e);
                throw clear;
            }
            throw e;
        }
    }

    private boolean isDefinedNow(IOException failure) {
        try {
            return isDefined();
        } catch (IOException e) {
            failure.addSuppressed(e);
            return false;
        }
    }

    /** Enables the table after a failure; returns the exception to throw. An interruption does not prevent it. */
    private IOException enabledAgain(IOException failure) {
        boolean interrupted = Thread.interrupted();
        try {
            admin.enableTable(indexTable);
        } catch (TableNotDisabledException | TableNotFoundException e) {
            LOG.debug("Table {} was not disabled, or was deleted after all", indexTable, e);
        } catch (IOException e) {
            failure.addSuppressed(e);
            return stillDisabled(failure, e.getMessage());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return failure;
    }

    private IOException stillDisabled(IOException failure, String why) {
        String message = failure.getMessage() + "; " + indexTable
                + " may be disabled now, and could not be enabled again: " + why
                + ". If the index is listed, enable its table in hbase shell: enable '" + indexTable + "'";
        IOException clear = failure instanceof IndexExistsException
                ? new IndexExistsException(message)
                : new DoNotRetryIOException(message);
        clear.initCause(failure);
        return clear;
    }
}
