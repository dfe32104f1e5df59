package org.diffindex.server.build;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;

/**
 * Makes the changes of states of indexes on the active master, as a rule one at a time. Each waits for the lock of its table
 * in one of the few handlers in which region servers report to the master, and the lock may be held by a procedure that
 * waits for such a report. A change that waits for long, because a region of its table cannot be opened, does not hold up
 * the others for more than {@value #PATIENCE_SECONDS} seconds each. Thread-safe.
 */
final class StateChanges {
    private static final long PATIENCE_SECONDS = 30;

    private final Connection connection;
    private final Lock lock = new ReentrantLock(true);

    /** A change of the state of an index; returns whether the index has it. */
    @FunctionalInterface
    interface Change {
        boolean make(Admin admin) throws IOException;
    }

    StateChanges(Connection connection) {
        this.connection = connection;
    }

    /** Makes a change; returns what it returns. */
    boolean make(Change change) throws IOException {
        boolean isAlone = isAlone();
        try (Admin admin = connection.getAdmin()) {
            return change.make(admin);
        } finally {
            if (isAlone) {
                lock.unlock();
            }
        }
    }

    private boolean isAlone() throws InterruptedIOException {
        try {
            return lock.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException) new InterruptedIOException("Interrupted").initCause(e);
        }
    }
}
