package org.diffindex.server;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
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
 */
final class StoredTables {
    private final Configuration conf;

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

    /**
     * Returns the current descriptors of the tables that say that they belong to indexes of a table. Reads those whose names
     * allow that, each like {@link #find}: HBase's own way to read all of a namespace removes files that seem to be incomplete.
     *
     * @throws IOException if the file system does not answer, or a descriptor cannot be read
     */
    Collection<TableDescriptor> indexTablesOf(TableName base) throws IOException {
        Path root = CommonFSUtils.getRootDir(conf);
        FileSystem files = root.getFileSystem(conf);
        Path namespace = CommonFSUtils.getNamespaceDir(root, base.getNamespaceAsString());
        List<TableDescriptor> tables = new ArrayList<>();
        for (Path folder : FSUtils.getLocalTableDirs(files, namespace)) {
            if (folder.getName().startsWith(base.getQualifierAsString() + ".")) {
                find(CommonFSUtils.getTableName(folder))
                        .filter(table -> IndexDefinitions.baseTableOf(table).equals(Optional.of(base)))
                        .ifPresent(tables::add);
            }
        }
        return tables;
    }
}
