package org.diffindex.server.local;

import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.HConstants;

/** The local file system without permissions, for each of which Hadoop would start a process. */
public final class PlainFileSystem extends RawLocalFileSystem {
    private static final URI NAME = URI.create("plain:///");

    /** Makes HBase keep its files in a local folder through this file system. */
    public static void use(Configuration conf, java.nio.file.Path folder) {
        conf.setClass("fs.plain.impl", PlainFileSystem.class, org.apache.hadoop.fs.FileSystem.class);
        conf.set(HConstants.HBASE_DIR, "plain://" + folder.toAbsolutePath());
        conf.setBoolean("hbase.unsafe.stream.capability.enforce", false); // no hflush survives a crash of the machine
    }

    @Override
    public URI getUri() {
        return NAME;
    }

    @Override
    public void setPermission(Path path, FsPermission permission) {
        // left to the user's umask
    }
}
