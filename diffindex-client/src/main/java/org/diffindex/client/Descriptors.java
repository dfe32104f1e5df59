package org.diffindex.client;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;

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

    static TableNotFoundException noSuchTable(TableName table, Throwable cause) {
        TableNotFoundException clear = new TableNotFoundException(
                "There is no table " + table + "; create it, or check its name and namespace. Nothing was changed");
        clear.initCause(cause);
        return clear;
    }

    /** Returns the indexes of a table, by name. */
    static Map<String, IndexDefinition> definitions(Admin admin, TableName table) throws IOException {
        return definitions(of(admin, table));
    }

    /**
     * Returns the indexes in a descriptor, by name.
     *
     * @throws IOException if a definition cannot be read
     */
    static Map<String, IndexDefinition> definitions(TableDescriptor descriptor) throws IOException {
        try {
            return IndexDefinitions.of(descriptor);
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage() + "; drop that index, or correct the table's descriptor", e);
        }
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
