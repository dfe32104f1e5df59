package org.diffindex.server.local;

/** Blocks threads while it is closed; initially open. Thread-safe. */
public final class Gate {
    private boolean closed;

    public synchronized void close() {
        closed = true;
    }

    public synchronized void open() {
        closed = false;
        notifyAll();
    }

    public synchronized void pass() {
        try {
            while (closed) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
