package org.diffindex.client;

import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.diffindex.model.IndexDefinition;

/** Signals a read by an index that is still being filled. Nothing was read; the same read works once it is ACTIVE. */
public class IndexNotReadableException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    IndexNotReadableException(IndexDefinition definition) {
        super("Index " + definition.name() + " on " + definition.table() + " is " + definition.state()
                + " and cannot be read yet; read it when it is ACTIVE, or, if nobody is creating it any more,"
                + " create it again with the same definition, which goes on with it");
    }
}
