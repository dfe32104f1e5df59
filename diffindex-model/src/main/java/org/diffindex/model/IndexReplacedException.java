package org.diffindex.model;

import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * Signals that a read is for an index that was dropped, and that its table is now that of another one of the same name.
 * Nothing was read.
 */
public class IndexReplacedException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    /** As a server throws it, and HBase's client again. */
    public IndexReplacedException(String message) {
        super(message);
    }
}
