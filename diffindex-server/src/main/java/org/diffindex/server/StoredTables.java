package org.diffindex.server;

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
        Path root = CommonFSUtils.getRootDir(conf);
        return Optional.ofNullable(FSTableDescriptors.getTableDescriptorFromFs(root.getFileSystem(conf), root, table));
    }

    /**
     * Returns the current descriptors of the tables of a namespace. Reads each like {@link #find}: HBase's own way to read
     * all of them removes files that seem to be incomplete.
     *
     * @throws IOException if the file system does not answer, or a descriptor cannot be read
     */
    Collection<TableDescriptor> inNamespace(String namespace) throws IOException {
        Path root = CommonFSUtils.getRootDir(conf);
        FileSystem files = root.getFileSystem(conf);
        List<TableDescriptor> tables = new ArrayList<>();
        for (Path table : FSUtils.getLocalTableDirs(files, CommonFSUtils.getNamespaceDir(root, namespace))) {
            find(CommonFSUtils.getTableName(table)).ifPresent(tables::add);
        }
        return tables;
    }
}
