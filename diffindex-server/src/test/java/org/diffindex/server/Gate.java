package org.diffindex.server;

/** Lets threads through, or makes them wait until it is opened. Open at first. Safe for use by many threads. */
final class Gate {
    private boolean closed;

    synchronized void close() {
        closed = true;
    }

    synchronized void open() {
        closed = false;
        notifyAll();
    }

    synchronized void pass() {
        try {
            while (closed) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
