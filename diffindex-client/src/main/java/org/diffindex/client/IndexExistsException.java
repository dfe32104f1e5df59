package org.diffindex.client;

import org.apache.hadoop.hbase.DoNotRetryIOException;

/** Signals that an index, or what is left of one, is already there under the name of a new index. Nothing was changed. */
public class IndexExistsException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    IndexExistsException(String message) {
        super(message);
    }
}
