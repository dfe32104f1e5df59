package org.diffindex.client;

import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * Signals that an index of a name exists: a new index of that name cannot be created, and nothing was changed; or the
 * remains of an index cannot be deleted, because another client has meanwhile created an index with them, and that index
 * is left as it is.
 */
public class IndexExistsException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    IndexExistsException(String message) {
        super(message);
    }
}
