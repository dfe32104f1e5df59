package org.diffindex.client;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.IndexDefinition;

/**
 * What one query reads through. Whether a read blocks is decided here alone: the steps of a read are the same.
 *
 * @param base the base table
 * @param index the index table, for lookups
 * @param scanned the index table, for scans and the lookups that go with them
 * @param quickCheck confirms entries whose rows then need not be looked up
 * @param build looks how far the build of the index is, for the message of a refused read
 * @param watch wraps the source of the entries
 */
record ReadAccess(
        Table base,
        Table index,
        Table scanned,
        QuickCheck quickCheck,
        FailedReads.BuildLook build,
        UnaryOperator<EntrySource> watch)
        implements Closeable {
    /** Opens the access to an index. */
    @FunctionalInterface
    interface Opening {
        ReadAccess to(IndexDefinition definition) throws IOException;
    }

    /** Closes the tables. */
    @Override
    public void close() throws IOException {
        try (base;
                index) {
            scanned.close();
        }
    }
}
