package org.diffindex.server.local;

/** Lets threads through, or makes them wait until it is opened. Open at first. Safe for use by many threads. */
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
