package org.diffindex.server.local;

import java.io.IOException;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.util.Progressable;

/** The local file system without permissions, for each of which Hadoop would start a process. */
public final class PlainFileSystem extends RawLocalFileSystem {
    private static final URI NAME = URI.create("plain:///");

    /** Makes HBase keep its files in a local folder through this file system. */
    public static void use(Configuration conf, java.nio.file.Path folder) {
        conf.setClass("fs.plain.impl", PlainFileSystem.class, org.apache.hadoop.fs.FileSystem.class);
        conf.set(HConstants.HBASE_DIR, "plain://" + folder.toAbsolutePath());
        conf.setBoolean("hbase.unsafe.stream.capability.enforce", false); // no hflush survives a crash of the machine
    }

    /** The folders in which the next creation or renaming of a file fails. */
    private static final Set<String> FAILING = ConcurrentHashMap.newKeySet();

    /** Makes the next creation or renaming of a file in a folder, at any depth, fail. */
    public static void failNextIn(java.nio.file.Path folder) {
        FAILING.add(folder.toAbsolutePath() + "/");
    }

    /** Returns whether {@link #failNextIn} has had its effect on a folder. */
    public static boolean hasFailedIn(java.nio.file.Path folder) {
        return !FAILING.contains(folder.toAbsolutePath() + "/");
    }

    /** The folders in which no file can be opened to be read. */
    private static final Set<String> UNREADABLE = ConcurrentHashMap.newKeySet();

    /** Makes all files in a folder, at any depth, unreadable, or readable again. */
    public static void outageOfReadsIn(java.nio.file.Path folder, boolean begins) {
        String path = folder.toAbsolutePath() + "/";
        if (begins) {
            UNREADABLE.add(path);
        } else {
            UNREADABLE.remove(path);
        }
    }

    private static void failIfAsked(Path file) throws IOException {
        String path = file.toUri().getPath();
        if (FAILING.removeIf(path::startsWith)) {
            throw new IOException("The file system failed at " + file);
        }
    }

    @Override
    public FSDataInputStream open(Path file, int bufferSize) throws IOException {
        if (UNREADABLE.stream().anyMatch(file.toUri().getPath()::startsWith)) {
            throw new IOException("The file system cannot read " + file);
        }
        return super.open(file, bufferSize);
    }

    @Override
    public FSDataOutputStream create(
            Path file, boolean overwrite, int bufferSize, short replication, long blockSize, Progressable progress)
            throws IOException {
        failIfAsked(file);
        return super.create(file, overwrite, bufferSize, replication, blockSize, progress);
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException {
        failIfAsked(to);
        return super.rename(from, to);
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
