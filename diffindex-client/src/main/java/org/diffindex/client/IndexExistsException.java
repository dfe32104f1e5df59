package org.diffindex.client;

import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * Signals that a new index cannot be created because an index, or the remains of one, exists under its name. Nothing
 * was changed.
 */
public class IndexExistsException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    IndexExistsException(String message) {
        super(message);
    }
}
