package org.diffindex.server.local;

/**
 * The threads that a test's own thread waits for: itself, and those that put index entries for it. Created by the
 * test's thread.
 */
public final class OwnThreads {
    private static final String INSERT_THREADS = "diffindex-insert";

    private final Thread own = Thread.currentThread();

    /** Returns whether the current thread is one of them. */
    public boolean areRunning() {
        Thread current = Thread.currentThread();
        return current == own || current.getName().startsWith(INSERT_THREADS);
    }
}
