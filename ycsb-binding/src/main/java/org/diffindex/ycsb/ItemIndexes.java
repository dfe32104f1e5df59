package org.diffindex.ycsb;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.diffindex.client.IndexQuery;

/**
 * One thread's access to the item table and its indexes, in a session or without one: the workload's seam to the
 * cluster.
 */
interface ItemIndexes extends Closeable {
    String BY_TITLE = "by_title";
    String BY_PRICE = "by_price";

    /** Receives the hits of a read by index. */
    @FunctionalInterface
    interface HitConsumer {
        void accept(byte[] row, byte[] value);
    }

    /** Reads by an index of one column. */
    void read(IndexQuery query, HitConsumer hits) throws IOException;

    /** Returns the title in a row of the base table; empty if the row does not exist. */
    Optional<byte[]> titleOf(byte[] row) throws IOException;

    /** Returns whether writes go through a session. */
    boolean inSession();

    /**
     * Writes in the session.
     *
     * @throws IllegalStateException if there is no session
     */
    void put(Put put) throws IOException;

    /**
     * Deletes in the session.
     *
     * @throws IllegalStateException if there is no session
     */
    void delete(Delete delete) throws IOException;
}
