package org.diffindex.client;

import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * Signals that a session refused a write because it might not be able to remember its changes. The write was not sent.
 */
public class SessionFullException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    private final int written;

    SessionFullException(String message, int written) {
        super(message);
        this.written = written;
    }

    /** Returns how many mutations of the call, counted from its first, were written before one was refused. */
    public int written() {
        return written;
    }
}
