package org.diffindex.client;

import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * Signals a write to a synchronously indexed table whose base row is durable while its index updates are not yet. They
 * are queued and will follow; until then a reader by index may see the old state. Writing again is not needed.
 */
public class IndexUpdateDelayedException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    public IndexUpdateDelayedException(String message) {
        super(message);
    }

    public IndexUpdateDelayedException(String message, Throwable cause) {
        super(message, cause);
    }
}
