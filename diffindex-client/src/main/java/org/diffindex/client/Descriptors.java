package org.diffindex.client;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.TableIndexes;

/** Reads table descriptors and creates tables from them, with errors that say which table and what is wrong with it. */
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

    /** Returns the descriptor of a table; empty if there is no such table. */
    static Optional<TableDescriptor> find(Admin admin, TableName table) throws IOException {
        try {
            return Optional.of(admin.getDescriptor(table));
        } catch (TableNotFoundException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns whether an index table belongs to an index whose drop has begun; false if there is no such table, or the
     * caller may not see its descriptor.
     */
    static boolean isDropping(Admin admin, TableName indexTable) throws IOException {
        try {
            return find(admin, indexTable).filter(IndexDefinitions::isDropping).isPresent();
        } catch (AccessDeniedException e) {
            return false;
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
}
