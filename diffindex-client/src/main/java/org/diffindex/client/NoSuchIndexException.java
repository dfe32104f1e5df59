package org.diffindex.client;

import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;

/** Signals that a table has no index of the given name. Nothing was changed; a scan that was running is incomplete. */
public class NoSuchIndexException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    NoSuchIndexException(TableName table, String index) {
        this(table, index, null);
    }

    NoSuchIndexException(TableName table, String index, Throwable cause) {
        super("Table " + table + " has no index '" + index + "'; list the table's indexes for their names", cause);
    }
}
