package org.diffindex.model;

import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * Signals an operation on an index whose definition this client cannot load. Nothing was read or changed; the message
 * says why and what to do. The other indexes of the table are not affected.
 */
public class IndexNotLoadedException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception for an index. */
    public IndexNotLoadedException(UnloadedIndex index) {
        super("Index " + index.logicalName() + " of " + index.table() + " cannot be loaded by this client: "
                + index.problem() + "; " + index.remedy() + ". Nothing was changed");
    }
}
