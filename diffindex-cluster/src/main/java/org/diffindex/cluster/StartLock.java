package org.diffindex.cluster;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Keeps two commands from starting the same thing at once, with a lock on a file that ends with this JVM. */
final class StartLock {
    private StartLock() {}

    /** A start. */
    @FunctionalInterface
    interface Start {
        void run() throws IOException;
    }

    /**
     * Runs the start while it holds the lock; does not wait for the lock.
     *
     * @throws ClusterException if another holds it; nothing was run then
     */
    static void hold(Path file, String what, Start start) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            if (!lock(channel)) {
                throw new ClusterException("Another command is starting " + what
                        + " now; this one started nothing; wait for that one, and see the cluster's status");
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
