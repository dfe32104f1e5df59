package org.diffindex.server;

import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.diffindex.model.EntryCheck;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.protocol.DiffIndexProtos.CheckRequest;
import org.diffindex.server.maintain.IndexMaintainer;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowMemory;

/**
 * Confirms to readers the entries that their rows yield now, from the region's row memory alone; a reader need not look
 * these rows up. An entry is confirmed only if, at one moment during the call, no write of its row was in flight and the
 * row yielded the entry, as a get at that moment would have shown. Thread-safe.
 */
final class RememberedEntries {
    /** Returns whether the caller of the current call may read all columns of an index in all rows of the table. */
    @FunctionalInterface
    interface Access {
        boolean mayRead(IndexMaintainer index) throws IOException;
    }

    private final RegionInfo region;
    private final RegionMaintainers maintainers;
    private final RowMemory memory;
    private final RowOrder order;
    private final Access access;
    private final BooleanSupplier isOwner;

    /**
     * Creates the check of a region's entries.
     *
     * @param isOwner returns whether no other server can have taken over the region yet
     */
    RememberedEntries(
            RegionInfo region,
            RegionMaintainers maintainers,
            RowMemory memory,
            RowOrder order,
            Access access,
            BooleanSupplier isOwner) {
        this.region = region;
        this.maintainers = maintainers;
        this.memory = memory;
        this.order = order;
        this.access = access;
        this.isOwner = isOwner;
    }

    /**
     * Returns the confirmed entries by their positions in a request; none if the caller may not read the index's columns
     * of all rows.
     *
     * @throws DoNotRetryIOException if the request is malformed, or the region does not have the index
     */
    BitSet confirmed(CheckRequest request) throws IOException {
        if (request.getKeyCount() > EntryCheck.MOST_ENTRIES || request.getKeyCount() != request.getFingerprintCount()) {
            throw new DoNotRetryIOException("One call checks up to " + EntryCheck.MOST_ENTRIES
                    + " entries, each with its fingerprint, not " + request.getKeyCount() + " with "
                    + request.getFingerprintCount() + " fingerprints; none was checked");
        }
        IndexMaintainer index = NamedIndex.toCheck(region, maintainers, request);
        if (!access.mayRead(index)) {
            return new BitSet();
        }
        BitSet confirmed = confirmed(request, index.function());
        return isOwner.getAsBoolean() ? confirmed : new BitSet(); // asked after the memory
    }

    private BitSet confirmed(CheckRequest request, IndexEntryFunction function) {
        BitSet confirmed = new BitSet(request.getKeyCount());
        for (int i = 0; i < request.getKeyCount(); i++) {
            confirmed.set(i, isYielded(request.getKey(i).toByteArray(), request.getFingerprint(i), function));
        }
        return confirmed;
    }

    private boolean isYielded(byte[] key, long fingerprint, IndexEntryFunction function) {
        byte[] row = function.codec().decode(key).row();
        Optional<List<Cell>> cells = order.visible(row, memory);
        return cells.flatMap(visible -> function.entryOf(row, visible))
                .filter(present -> Arrays.equals(present.key(), key) && present.fingerprint() == fingerprint)
                .isPresent();
    }
}
