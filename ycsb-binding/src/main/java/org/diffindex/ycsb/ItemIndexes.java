package org.diffindex.ycsb;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.diffindex.client.IndexQuery;

/** One thread's way to the item table and its indexes, in a session or not: the workload's seam to the cluster. */
interface ItemIndexes extends Closeable {
    String BY_TITLE = "by_title";
    String BY_PRICE = "by_price";

    /** Takes what a read by index found, hit by hit. */
    @FunctionalInterface
    interface HitConsumer {
        void accept(byte[] row, byte[] value);
    }

    /** Reads by an index of one column. */
    void read(IndexQuery query, HitConsumer hits) throws IOException;

    /** The title in a row of the base table; empty if the row is not there. */
    Optional<byte[]> titleOf(byte[] row) throws IOException;

    /** Whether writes go through a session. */
    boolean inSession();

    /**
     * Writes in the session.
     *
     * @throws IllegalStateException if there is none
     */
    void put(Put put) throws IOException;

    /**
     * Deletes in the session.
     *
     * @throws IllegalStateException if there is none
     */
    void delete(Delete delete) throws IOException;
}
