package org.diffindex.server.queue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;

/** A spill file, with the number of batches and indexes that need it. Safe for use by many threads. */
final class CoveringFile implements PendingBatch.Cover {
    private final Path path;
    private final AtomicInteger users;
    private final Consumer<Path> delivered;

    /**
     * A file that is needed.
     *
     * @param users how many need it; at least one
     * @param delivered receives the path when the last of them releases the file
     */
    CoveringFile(Path path, int users, Consumer<Path> delivered) {
        this.path = path;
        this.users = new AtomicInteger(users);
        this.delivered = delivered;
    }

    Path path() {
        return path;
    }

    /** Adds one more that needs the file, before one that needs it now releases it. */
    void retain() {
        users.incrementAndGet();
    }

    @Override
    public void release() {
        if (users.decrementAndGet() == 0) {
            delivered.accept(path);
        }
    }
}
