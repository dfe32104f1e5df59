package org.diffindex.cluster;

import java.io.IOException;

/**
 * Lets processes be started until it is closed. A start that is under way when it is closed is finished first, so that
 * whoever kills all processes afterwards misses none. Thread-safe.
 */
final class StartGate {
    /** Guarded by this. */
    private boolean closed;

    /**
     * Starts something.
     *
     * @param what what is started, for the message
     * @throws ClusterException if the gate is closed; nothing was started
     */
    synchronized void start(String what, StartLock.Start start) throws IOException {
        if (closed) {
            throw new ClusterException(what + " was not started, because its cluster was destroyed for good, as it is"
                    + " when this JVM ends; open the cluster again to start it");
        }
        start.run();
    }

    /** Lets nothing be started any more. Waits for a start that is under way. */
    synchronized void close() {
        closed = true;
    }
}
