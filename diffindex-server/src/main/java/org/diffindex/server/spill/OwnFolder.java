package org.diffindex.server.spill;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hbase.thirdparty.com.google.common.collect.Interner;
import org.apache.hbase.thirdparty.com.google.common.collect.Interners;

/** The folder of Diff-Index in HBase's root folder. Its files contain keys of rows, and so do their names. */
public final class OwnFolder {
    private static final String NAME = "diffindex";

    /** HBase's setting for the permissions of its own folders on a cluster that requires Kerberos. */
    private static final String PERMISSIONS_KEY = "hbase.rootdir.perms";

    /** The folders of tables, of which each region would otherwise have its own: over 300 bytes of heap. */
    private static final Interner<Path> OF_TABLES = Interners.newWeakInterner();

    private OwnFolder() {}

    /** Returns the folder of a table's files of one kind, the same object as long as a region of this JVM refers to it. */
    static Path of(Configuration conf, String kind, TableName table) throws IOException {
        Path all = new Path(new Path(CommonFSUtils.getRootDir(conf), NAME), kind);
        return OF_TABLES.intern(new Path(new Path(all, table.getNamespaceAsString()), table.getQualifierAsString()));
    }

    /**
     * Closes the folder to all users but that of the servers, if the cluster requires Kerberos, as HBase closes its own
     * folders: {@value #PERMISSIONS_KEY}, 700 by default. Makes it, so that it is closed before it has a file.
     */
    public static void protect(Configuration conf) throws IOException {
        if (!User.isHBaseSecurityEnabled(conf)) {
            return;
        }
        FileSystem fileSystem = CommonFSUtils.getRootDirFileSystem(conf);
        Path folder = new Path(CommonFSUtils.getRootDir(conf), NAME);
        fileSystem.mkdirs(folder);
        fileSystem.setPermission(folder, new FsPermission(conf.get(PERMISSIONS_KEY, "700")));
    }
}
