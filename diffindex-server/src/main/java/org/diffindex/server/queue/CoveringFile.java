package org.diffindex.server.queue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;

/** A reference-counted spill file; each batch or index that needs it holds a reference. Thread-safe. */
final class CoveringFile implements PendingBatch.Cover {
    private final Path path;
    private final AtomicInteger users;
    private final Consumer<Path> delivered;

    /**
     * Creates a file with the given number of references.
     *
     * @param users number of references; at least 1
     * @param delivered receives the path when the last reference is released
     */
    CoveringFile(Path path, int users, Consumer<Path> delivered) {
        this.path = path;
        this.users = new AtomicInteger(users);
        this.delivered = delivered;
    }

    Path path() {
        return path;
    }

    /** Acquires one more reference. Another one must be held meanwhile. */
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
