package org.diffindex.server;

import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * Sees to it that a write which concerns an index is in the synced WAL before it is acknowledged. Its index updates are
 * durable on other servers by then, or are to be replayed from the WAL; if a crash lost the row alone, the index would show
 * a value that the table does not have, and its tombstone would hide the value that it has.
 *
 * <p>HBase takes the highest durability of all writes of a batch, after the hooks that see single writes. Pure; safe for use
 * by many threads.
 */
final class SyncedWal {
    private final Durability ofTable;

    SyncedWal(TableDescriptor table) {
        this.ofTable = table.getDurability();
    }

    /** Raises a write's durability to {@code SYNC_WAL} unless it is that or more, in its own right or by the table's. */
    void require(Mutation mutation) {
        Durability asked = mutation.getDurability();
        Durability effective = asked == Durability.USE_DEFAULT ? ofTable : asked;
        if (effective == Durability.SKIP_WAL || effective == Durability.ASYNC_WAL) {
            mutation.setDurability(Durability.SYNC_WAL);
        }
    }
}
