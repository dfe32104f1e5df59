package org.diffindex.client;

import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.diffindex.model.IndexDefinition;

/** Signals a read by an index that is BUILDING. Nothing was read; the same read succeeds once the index is ACTIVE. */
public class IndexNotReadableException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    IndexNotReadableException(IndexDefinition definition) {
        super("Index " + definition.name() + " on " + definition.table() + " is " + definition.state()
                + " and cannot be read yet; read it when it is ACTIVE; if its creation was interrupted,"
                + " create it again with the same definition, which resumes the creation");
    }
}
