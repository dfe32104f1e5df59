package org.diffindex.client;

import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinition;

/**
 * Signals that a table has no index of the given name, or that the drop of the index has begun. Nothing was changed; a
 * scan that was running is incomplete.
 */
public class NoSuchIndexException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    NoSuchIndexException(TableName table, String index) {
        this(table, index, null);
    }

    NoSuchIndexException(TableName table, String index, Throwable cause) {
        this("Table " + table + " has no index '" + index + "'; list the table's indexes for their names", cause);
    }

    private NoSuchIndexException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Returns the exception for an operation that an index which is DISABLED does not have. */
    static NoSuchIndexException disabled(TableName table, String index) {
        return new NoSuchIndexException(
                "Index '" + index + "' of table " + table + " is DISABLED; enable it first. Nothing was changed", null);
    }

    /**
     * Returns the exception for a read by an index whose definition the reader knew.
     *
     * @param refusal the failure of the read
     */
    static NoSuchIndexException dropped(IndexDefinition index, Throwable refusal) {
        return new NoSuchIndexException(
                "Index '" + index.logicalName() + "' of table " + index.table()
                        + " was dropped or rebuilt, or is being dropped, or its columns were changed;"
                        + " the read is not complete. List the table's indexes: if this one is ACTIVE, read again; if it is"
                        + " DROPPING when nobody drops it, its drop was interrupted: drop it again",
                refusal);
    }
}
