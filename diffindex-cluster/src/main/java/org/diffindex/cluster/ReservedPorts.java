package org.diffindex.cluster;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The ports that this process keeps for its clusters until it ends, so that no other process of the user takes them for
 * a cluster of its own before the servers listen, or while one of them is down. A port is a locked byte of a file. Safe
 * for use by many threads.
 */
final class ReservedPorts {
    private static final Path FILE = Path.of(
            System.getProperty("java.io.tmpdir"), "diffindex-ports-" + System.getProperty("user.name") + ".lock");

    /** The locks, which would be forgotten, but not released, if they were garbage. */
    private static final List<FileLock> LOCKS = new ArrayList<>();

    /** Never closed: closing it would release the locks. */
    private static FileChannel channel;

    private ReservedPorts() {}

    /**
     * Reserves a port; returns whether neither this process nor another one has reserved it before.
     *
     * @throws IOException if the file cannot be opened or locked
     */
    static synchronized boolean reserve(int port) throws IOException {
        if (channel == null) {
            channel = FileChannel.open(FILE, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        }
        try {
            FileLock lock = channel.tryLock(port, 1, false);
            return lock != null && LOCKS.add(lock);
        } catch (OverlappingFileLockException e) {
            return false; // by this process
        }
    }
}
