package org.diffindex.server.spill;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The spill and stamp files of a table that were there at one moment. Those that appear later are not among them: a
 * region may write them for an index that is created just then. Immutable.
 */
public final class TableFiles {
    private static final Logger LOG = LoggerFactory.getLogger(TableFiles.class);

    private final FileSystem fileSystem;
    private final List<Path> files = new ArrayList<>();

    /** The folders, each behind those that it contains. */
    private final List<Path> folders = new ArrayList<>();

    private TableFiles(FileSystem fileSystem) {
        this.fileSystem = fileSystem;
    }

    /** Returns the files that are there now. */
    public static TableFiles list(Configuration conf, TableName table) throws IOException {
        TableFiles files = new TableFiles(CommonFSUtils.getRootDirFileSystem(conf));
        files.add(SpillFiles.folderOf(conf, table));
        files.add(StampFiles.folderOf(conf, table));
        return files;
    }

    private void add(Path folder) throws IOException {
        FileStatus[] content;
        try {
            content = fileSystem.listStatus(folder);
        } catch (FileNotFoundException e) {
            LOG.debug("{} is not there", folder, e);
            return;
        }
        for (FileStatus each : content) {
            if (each.isDirectory()) {
                add(each.getPath());
            } else {
                files.add(each.getPath());
            }
        }
        folders.add(folder);
    }

    /** Removes these files, and their folders as far as nothing else has appeared in them. */
    public void remove() throws IOException {
        for (Path file : files) {
            fileSystem.delete(file, false);
        }
        for (Path folder : folders) {
            try {
                fileSystem.delete(folder, false);
            } catch (IOException e) {
                LOG.info("{} stays, as it is not empty any more", folder, e);
            }
        }
    }
}
