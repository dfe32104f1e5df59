package org.diffindex.client;

import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * Signals a write that a session refused because it could not be sure to remember what the write changes. The write was
 * not sent.
 */
public class SessionFullException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    private final int written;

    SessionFullException(String message, int written) {
        super(message);
        this.written = written;
    }

    /** How many mutations of the refused call, counted from its first, had been written before. */
    public int written() {
        return written;
    }
}
