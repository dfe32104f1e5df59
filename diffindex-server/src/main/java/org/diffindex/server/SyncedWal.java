package org.diffindex.server;

import java.util.Optional;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;

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
        if (!isSynced(effective(mutation))) {
            mutation.setDurability(Durability.SYNC_WAL);
        }
    }

    /** Why a write is refused of which HBase has taken the durability already; empty if it is not. */
    Optional<String> refusal(Mutation mutation) {
        Durability effective = effective(mutation);
        return isSynced(effective)
                ? Optional.empty()
                : Optional.of(
                        "Write refused, nothing was written: another coprocessor has added an indexed column to a write"
                                + " whose durability is " + effective
                                + ", and an index recovers from the synced WAL; let that"
                                + " coprocessor set SYNC_WAL too [row=" + Bytes.toStringBinary(mutation.getRow())
                                + "]");
    }

    private Durability effective(Mutation mutation) {
        Durability asked = mutation.getDurability();
        return asked == Durability.USE_DEFAULT ? ofTable : asked;
    }

    private static boolean isSynced(Durability durability) {
        return durability != Durability.SKIP_WAL && durability != Durability.ASYNC_WAL;
    }
}
