package org.diffindex.server.deliver;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.ClassSize;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDelta;
import org.diffindex.model.IndexEntry;

/**
 * A put or delete of one entry, ready to be sent. Applying it again, or after a later update, has no effect: the stamp
 * decides.
 *
 * @param table the index table
 * @param mutation the put or delete
 * @param successor for a delete, the key of the entry that replaces the deleted one. A sink deletes no entry before the
 *     entry at this key is durable, so that a reader finds the row in at least one place; null if the delete need not
 *     wait
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record IndexUpdate(TableName table, Mutation mutation, byte[] successor) {
    /**
     * The memory, in bytes, of this object, and of what {@link Mutation#heapSize} does not count: the map of the
     * attributes and spare room in the list of cells (160 bytes), less what it counts although all mutations share it,
     * the names of the family and of the attribute (96 bytes).
     */
    private static final int OWN_BYTES = ClassSize.align(ClassSize.OBJECT + 3 * ClassSize.REFERENCE) + 160 - 96;

    /** Creates an update that waits for no other. */
    public IndexUpdate(TableName table, Mutation mutation) {
        this(table, mutation, null);
    }

    /**
     * Returns the updates that a delta requires. The new entry is put at its own timestamp if that is one of the
     * change's stamps, else at the last stamp; the old entry is deleted as of just before the first stamp.
     */
    public static List<IndexUpdate> of(IndexDefinition index, IndexDelta delta, long firstStamp, long lastStamp) {
        return of(index, delta, delta.insert(), firstStamp, lastStamp);
    }

    /**
     * Returns the updates that a delta requires, with the same stamps, for a change whose successor, the row's present
     * entry, may be put by another update in the same write to the sink.
     */
    public static List<IndexUpdate> of(
            IndexDefinition index, IndexDelta delta, Optional<IndexEntry> successor, long firstStamp, long lastStamp) {
        List<IndexUpdate> updates = new ArrayList<>(2);
        byte[] successorKey = successor.map(IndexEntry::key).orElse(null);
        delta.delete().ifPresent(entry -> updates.add(delete(index, entry.key(), firstStamp - 1, successorKey)));
        delta.insert().ifPresent(entry -> updates.add(put(index, entry, insertStamp(entry, firstStamp, lastStamp))));
        return updates;
    }

    /** Returns a put of an entry at a stamp. */
    public static IndexUpdate put(IndexDefinition index, IndexEntry entry, long stamp) {
        return urgent(index, index.entryFormat().put(entry, stamp), null);
    }

    /**
     * Returns a put of an entry at a stamp, which expires earlier than the table's TTL says.
     *
     * @param lifetime the time, in ms, from the stamp until the entry expires
     */
    public static IndexUpdate expiring(IndexDefinition index, IndexEntry entry, long stamp, long lifetime) {
        return urgent(index, index.entryFormat().put(entry, stamp).setTTL(lifetime), null);
    }

    /**
     * Returns a delete of an entry as put at any stamp up to and including the given one.
     *
     * @param successor the key of the entry that replaces the deleted one; null if there is none
     */
    public static IndexUpdate delete(IndexDefinition index, byte[] key, long stamp, byte[] successor) {
        return urgent(index, index.entryFormat().delete(key, stamp), successor);
    }

    /** Returns a delete of an entry as put at exactly the given stamp. */
    public static IndexUpdate deleteExactly(IndexDefinition index, byte[] key, long stamp, byte[] successor) {
        return urgent(index, index.entryFormat().deleteExactly(key, stamp), successor);
    }

    /** Returns the stamp at which {@link #of} puts an entry. */
    public static long insertStamp(IndexEntry entry, long firstStamp, long lastStamp) {
        boolean isStamp = firstStamp <= entry.timestamp() && entry.timestamp() <= lastStamp;
        return isStamp ? entry.timestamp() : lastStamp;
    }

    /** Sets high priority for clients that cannot load {@link UrgentControllerFactory}; effective for puts only. */
    private static IndexUpdate urgent(IndexDefinition index, Mutation mutation, byte[] successor) {
        mutation.setPriority(HConstants.HIGH_QOS);
        return new IndexUpdate(index.indexTable(), mutation, successor);
    }

    /** Returns the stamp at which the update puts its entry, or up to which it deletes it. */
    public long stamp() {
        return EntryFormat.stampOf(mutation);
    }

    public boolean isPut() {
        return mutation instanceof Put;
    }

    /** Returns the memory that the update occupies, in bytes. */
    public long heapSize() {
        return OWN_BYTES + mutation.heapSize() + (successor == null ? 0 : ClassSize.sizeOfByteArray(successor.length));
    }
}
