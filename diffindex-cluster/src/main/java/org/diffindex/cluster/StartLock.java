package org.diffindex.cluster;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Prevents two commands from starting the same thing at once, by a lock on a file that is released when this JVM ends.
 */
final class StartLock {
    private StartLock() {}

    /** A start. */
    @FunctionalInterface
    interface Start {
        void run() throws IOException;
    }

    /**
     * Runs the start while holding the lock; does not wait for the lock.
     *
     * @throws ClusterException if the lock is held by another start; nothing was run
     */
    static void hold(Path file, String what, Start start) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            if (!lock(channel)) {
                throw new ClusterException("Another command is starting " + what
                        + " now; this one started nothing; wait for the other, and see the cluster's status");
            }
            start.run();
        }
    }

    private static boolean lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }
}
