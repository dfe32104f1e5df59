package org.diffindex.server.deliver;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.diffindex.model.IndexCell;
import org.diffindex.model.IndexDelta;
import org.diffindex.model.IndexEntry;

/**
 * A put or delete of one entry, ready to be sent. Sending it again, or after a later one, changes nothing: its stamp
 * decides.
 *
 * @param table the index table
 * @param mutation the put or delete
 */
public record IndexUpdate(TableName table, Mutation mutation) {
    /**
     * The updates that a delta asks for. The new entry is put at its own timestamp if that is one of the change's stamps,
     * else at the last stamp; the old one is deleted as of just before the first stamp.
     */
    public static List<IndexUpdate> of(TableName table, IndexDelta delta, long firstStamp, long lastStamp) {
        List<IndexUpdate> updates = new ArrayList<>(2);
        delta.delete().ifPresent(entry -> updates.add(urgent(table, IndexCell.delete(entry.key(), firstStamp - 1))));
        delta.insert().ifPresent(entry -> updates.add(put(table, entry, insertStamp(entry, firstStamp, lastStamp))));
        return updates;
    }

    /** Puts an entry at a stamp. */
    public static IndexUpdate put(TableName table, IndexEntry entry, long stamp) {
        return urgent(table, IndexCell.put(entry, stamp));
    }

    /** A delete of an entry, made by {@link IndexCell}. */
    public static IndexUpdate delete(TableName table, Delete delete) {
        return urgent(table, delete);
    }

    /** The stamp at which {@link #of} puts an entry. */
    public static long insertStamp(IndexEntry entry, long firstStamp, long lastStamp) {
        boolean isStamp = firstStamp <= entry.timestamp() && entry.timestamp() <= lastStamp;
        return isStamp ? entry.timestamp() : lastStamp;
    }

    /** As {@link UrgentControllerFactory}, where that cannot be loaded: then at least for puts. */
    private static IndexUpdate urgent(TableName table, Mutation mutation) {
        mutation.setPriority(HConstants.HIGH_QOS);
        return new IndexUpdate(table, mutation);
    }

    public boolean isPut() {
        return mutation instanceof Put;
    }

    /** The memory that the update holds, in bytes. */
    public long heapSize() {
        return mutation.heapSize();
    }
}
