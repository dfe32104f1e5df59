package org.diffindex.model;

import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * Signals that a read was addressed to an index whose drop has begun, or which has been dropped, so that its table now
 * belongs to another index of the same name. Nothing was read.
 */
public class IndexReplacedException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception; called by the server, and by HBase's client when it unwraps the remote exception. */
    public IndexReplacedException(String message) {
        super(message);
    }
}
