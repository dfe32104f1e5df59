package org.diffindex.server;

import java.util.Optional;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Ensures that a write that concerns an index is in the synced WAL before it is acknowledged. Its index updates are
 * then durable on other servers, or will be replayed from the WAL. If a crash lost only the row, the index would show a
 * value that the table does not have, and the tombstone would hide the value that it has.
 *
 * <p>HBase determines the durability of a batch, the highest of its writes, after the hooks for single writes.
 * Thread-safe; has no mutable state.
 */
final class SyncedWal {
    private final Durability ofTable;

    SyncedWal(TableDescriptor table) {
        this.ofTable = table.getDurability();
    }

    /** Raises a write's durability to {@code SYNC_WAL} unless its own or the table's is at least that. */
    void require(Mutation mutation) {
        if (!isSynced(effective(mutation))) {
            mutation.setDurability(Durability.SYNC_WAL);
        }
    }

    /** Returns why a write is refused whose durability HBase has already determined; empty if it is not refused. */
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
