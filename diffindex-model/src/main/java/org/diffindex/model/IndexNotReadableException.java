package org.diffindex.model;

import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * Signals a read by an index that is BUILDING, BROKEN or DISABLED. Nothing was read; the same read succeeds once the index is
 * ACTIVE.
 */
public class IndexNotReadableException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception; called by the server, and by HBase's client when it unwraps the remote exception. */
    public IndexNotReadableException(String message) {
        super(message);
    }
}
