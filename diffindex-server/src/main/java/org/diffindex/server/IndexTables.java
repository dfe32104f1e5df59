package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.deliver.IndexUpdate;

/**
 * The index tables, for callers that read rows of a region and write their entries bypassing the AUQ.
 *
 * @param sink writes entries, and counts the updates
 * @param lookup reads entries
 * @param ownership requires that the region was this server's when its rows were read
 */
record IndexTables(IndexSink sink, Lookup lookup, Ownership ownership) {
    /** Reads entries of an index table. */
    @FunctionalInterface
    interface Lookup {
        /** Returns one result for each get, empty if there is no such entry. */
        Result[] entries(TableName index, List<Get> gets) throws IOException;
    }

    /** Knows whether a region is this server's. */
    @FunctionalInterface
    interface Ownership {
        /** Throws if another server may have opened the region by now. */
        void require() throws IOException;
    }

    /**
     * Writes updates like {@link IndexSink#write}. The caller has read the rows and acquired the stamps of the updates.
     * They may arrive late: if another server opens the region after this check, its writes have later stamps.
     *
     * @throws IOException if they are not all known to be written; none is if another server may have opened the region
     *     before the rows were read
     */
    void write(List<IndexUpdate> updates) throws IOException {
        ownership.require();
        sink.write(updates);
    }

    /** Returns one result for each get, empty if there is no such entry. */
    Result[] entries(TableName index, List<Get> gets) throws IOException {
        return lookup.entries(index, gets);
    }
}
