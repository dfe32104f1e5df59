package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.deliver.IndexUpdate;

/**
 * The index tables, for callers that write entries bypassing the AUQ.
 *
 * @param sink writes entries, and counts the updates
 * @param lookup reads entries
 */
record IndexTables(IndexSink sink, Lookup lookup) {
    /** Reads entries of an index table. */
    @FunctionalInterface
    interface Lookup {
        /** Returns one result for each get, empty if there is no such entry. */
        Result[] entries(TableName index, List<Get> gets) throws IOException;
    }

    /** Writes updates like {@link IndexSink#write}. */
    void write(List<IndexUpdate> updates) throws IOException {
        sink.write(updates);
    }

    /** Returns one result for each get, empty if there is no such entry. */
    Result[] entries(TableName index, List<Get> gets) throws IOException {
        return lookup.entries(index, gets);
    }
}
