package org.diffindex.server;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.FSTableDescriptors;
import org.apache.hadoop.hbase.util.FSUtils;
import org.diffindex.model.IndexDefinitions;

/**
 * The descriptors of tables as stored in HBase's file system. The master stores a descriptor before a region is opened
 * with it. Reading one calls no server except those of the file system. Thread-safe.
 *
 * <p>HBase truncates a table by deleting its folder and making it again, and so for a moment stores no descriptor. Descriptors
 * of index tables are therefore noted before a truncation, and forgotten before a deletion.
 */
final class StoredTables {
    private final Configuration conf;

    /** Index tables that were truncated, as they were then. */
    private final Map<TableName, TableDescriptor> truncated = new ConcurrentHashMap<>();

    /** Reads the descriptors below the root directory in the configuration. */
    StoredTables(Configuration conf) {
        this.conf = conf;
    }

    /**
     * Returns the current descriptor of a table; empty if there is no such table.
     *
     * @throws IOException if the file system does not answer, or the descriptor cannot be read
     */
    Optional<TableDescriptor> find(TableName table) throws IOException {
        try {
            return read(table);
        } catch (FileNotFoundException e) {
            return read(table); // HBase lists the files before it opens one, which may have been replaced in between
        }
    }

    private Optional<TableDescriptor> read(TableName table) throws IOException {
        Path root = CommonFSUtils.getRootDir(conf);
        return Optional.ofNullable(FSTableDescriptors.getTableDescriptorFromFs(root.getFileSystem(conf), root, table));
    }

    /** Notes a table that HBase is about to truncate, if it is that of an index. Requires that HBase holds the table's lock. */
    void noteTruncation(TableName table) throws IOException {
        find(table)
                .filter(own -> IndexDefinitions.baseTableOf(own).isPresent())
                .ifPresent(own -> truncated.put(table, own));
    }

    /** Forgets a table that HBase is about to delete. Requires that HBase holds the table's lock. */
    void noteDeletion(TableName table) {
        truncated.remove(table);
    }

    /**
     * Returns the current descriptors of the tables that say that they belong to indexes of a table, also of those that are being
     * truncated, unless another master has begun that. Reads those whose names allow that, each like {@link #find}: HBase's own
     * way to read all of a namespace removes files that seem to be incomplete.
     *
     * @throws IOException if the file system does not answer, or a descriptor cannot be read
     */
    Collection<TableDescriptor> indexTablesOf(TableName base) throws IOException {
        Path root = CommonFSUtils.getRootDir(conf);
        FileSystem files = root.getFileSystem(conf);
        Path namespace = CommonFSUtils.getNamespaceDir(root, base.getNamespaceAsString());
        Map<TableName, TableDescriptor> tables = new TreeMap<>();
        for (Path folder : FSUtils.getLocalTableDirs(files, namespace)) {
            if (folder.getName().startsWith(base.getQualifierAsString() + ".")) {
                find(CommonFSUtils.getTableName(folder)).ifPresent(table -> tables.put(table.getTableName(), table));
            }
        }
        truncated.forEach(tables::putIfAbsent); // after the files: what was noted during that is here, too
        return tables.values().stream()
                .filter(table -> IndexDefinitions.baseTableOf(table).equals(Optional.of(base)))
                .toList();
    }
}
