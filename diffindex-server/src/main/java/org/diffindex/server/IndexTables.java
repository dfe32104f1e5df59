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
 * @param stamps passes on the stamps of the updates, which no WAL holds
 * @param ownership requires that the region was this server's when its rows were read
 */
record IndexTables(IndexSink sink, Lookup lookup, Stamps stamps, Ownership ownership) {
    /** Reads entries of an index table. */
    @FunctionalInterface
    interface Lookup {
        /** Returns one result for each get, empty if there is no such entry. */
        Result[] entries(TableName index, List<Get> gets) throws IOException;
    }

    /** Passes stamps on to the next server of a region, whose clock may be behind. */
    @FunctionalInterface
    interface Stamps {
        /** Makes each stamp that the next server assigns later than the given one. */
        void record(long stamp) throws IOException;
    }

    /** Knows whether a region is this server's. */
    @FunctionalInterface
    interface Ownership {
        /** Throws if another server may have opened the region by now. */
        void require() throws IOException;
    }

    /**
     * Writes updates like {@link IndexSink#write}. The caller has read the rows and acquired the stamps of the updates.
     * They may arrive late: if another server opens the region after this check, its writes have later stamps, since
     * the latest of these is recorded before.
     *
     * @throws IOException if they are not all known to be written; none is if the stamps cannot be recorded, or another
     *     server may have opened the region before
     */
    void write(List<IndexUpdate> updates) throws IOException {
        stamps.record(updates.stream().mapToLong(IndexUpdate::stamp).max().orElse(0));
        ownership.require();
        sink.write(updates);
    }

    /** Returns one result for each get, empty if there is no such entry. */
    Result[] entries(TableName index, List<Get> gets) throws IOException {
        return lookup.entries(index, gets);
    }
}
