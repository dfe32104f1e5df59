package org.diffindex.client;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.model.TableIndexes;
import org.diffindex.tasks.DescriptorChange;

/**
 * Reads table descriptors, and creates tables from them, with errors that say which table and what is wrong with it.
 */
final class Descriptors {
    private Descriptors() {}

    /**
     * Returns the descriptor of a table.
     *
     * @throws TableNotFoundException if the table does not exist
     */
    static TableDescriptor of(Admin admin, TableName table) throws IOException {
        try {
            return admin.getDescriptor(table);
        } catch (TableNotFoundException e) {
            throw noSuchTable(table, e);
        }
    }

    /**
     * Returns the state of the index to which an index table belongs; empty if there is no such table, or the caller may
     * not see its descriptor.
     */
    static Optional<IndexState> stateOf(Admin admin, TableName indexTable) throws IOException {
        return findVisible(admin, indexTable).map(IndexDefinitions::stateOf);
    }

    /** Returns the descriptor of a table; empty if there is no such table, or the caller may not see its descriptor. */
    static Optional<TableDescriptor> findVisible(Admin admin, TableName table) throws IOException {
        try {
            return DescriptorChange.find(admin, table);
        } catch (AccessDeniedException e) {
            return Optional.empty();
        }
    }

    static TableNotFoundException noSuchTable(TableName table, Throwable cause) {
        TableNotFoundException clear = new TableNotFoundException(
                "There is no table " + table + "; create it, or check its name and namespace. Nothing was changed");
        clear.initCause(cause);
        return clear;
    }

    /** Returns the indexes of a table. */
    static TableIndexes definitions(Admin admin, TableName table) throws IOException {
        return definitions(of(admin, table));
    }

    /** Returns the indexes in a descriptor. */
    static TableIndexes definitions(TableDescriptor descriptor) {
        return TableIndexes.of(descriptor);
    }

    /**
     * Creates a table, in one region or split at the given keys.
     *
     * @throws DoNotRetryIOException if the servers cannot load Diff-Index's coprocessors
     */
    static void create(Admin admin, TableDescriptor descriptor, byte[][] splits) throws IOException {
        try {
            if (splits.length == 0) {
                admin.createTable(descriptor);
            } else {
                admin.createTable(descriptor, splits);
            }
        } catch (IOException e) {
            throw Coprocessors.isNotLoaded(e) ? Coprocessors.missingJar(e) : e;
        }
    }

    /**
     * Returns whether HBase can change a base table's descriptor without reopening the regions. HBase refuses that for a
     * change of the coprocessors, and compares them by a hash code that releases up to 2.6.1 at least do not define, so
     * that it refuses every table with a coprocessor ({@code ModifyTableProcedure}). Its client would retry the refusal
     * for minutes; the same comparison here foresees it.
     */
    static boolean canKeepRegionsOpen(TableDescriptor descriptor) {
        TableDescriptor copy = TableDescriptorBuilder.newBuilder(descriptor).build();
        return descriptor.getCoprocessorDescriptors().hashCode()
                == copy.getCoprocessorDescriptors().hashCode();
    }
}
