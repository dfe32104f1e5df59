package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.diffindex.model.EntryCheck;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.protocol.DiffIndexProtos.CheckRequest;
import org.diffindex.server.maintain.IndexMaintainer;
import org.diffindex.server.maintain.PresentRows;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.queue.DeliveryStats;

/**
 * Confirms to readers the entries that their rows yield now; a reader need not look these rows up. An entry is
 * confirmed only if the row yielded it at one moment during the call, as a get at that moment would have shown.
 * Thread-safe.
 */
final class PresentEntries {
    /** Returns whether the caller of the current call may read all columns of an index in all rows of the table. */
    @FunctionalInterface
    interface Access {
        boolean mayRead(IndexMaintainer index) throws IOException;
    }

    private final RegionInfo region;
    private final RegionMaintainers maintainers;
    private final PresentRows rows;
    private final Access access;
    private final BooleanSupplier isOwner;
    private final DeliveryStats stats;

    /**
     * Creates the check of a region's entries.
     *
     * @param isOwner returns whether no other server can have taken over the region yet
     * @param stats counts the confirmed entries
     */
    PresentEntries(
            RegionInfo region,
            RegionMaintainers maintainers,
            PresentRows rows,
            Access access,
            BooleanSupplier isOwner,
            DeliveryStats stats) {
        this.region = region;
        this.maintainers = maintainers;
        this.rows = rows;
        this.access = access;
        this.isOwner = isOwner;
        this.stats = stats;
    }

    /**
     * Returns the confirmed entries by their positions in a request; none if the caller may not read the index's columns
     * of all rows.
     *
     * @throws DoNotRetryIOException if the request is malformed, or the region does not have the index
     * @throws IOException if rows could not be read
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
        if (!isOwner.getAsBoolean()) { // asked after the rows were seen
            return new BitSet();
        }
        stats.of(index.definition().indexTable()).confirmedEntries.add(confirmed.cardinality());
        return confirmed;
    }

    private BitSet confirmed(CheckRequest request, IndexEntryFunction function) throws IOException {
        List<byte[]> keys = new ArrayList<>(request.getKeyCount());
        List<ImmutableBytesWritable> rowsOfKeys = new ArrayList<>(request.getKeyCount());
        for (int i = 0; i < request.getKeyCount(); i++) {
            byte[] key = request.getKey(i).toByteArray();
            keys.add(key);
            rowsOfKeys.add(
                    new ImmutableBytesWritable(function.codec().decode(key).row()));
        }
        Map<ImmutableBytesWritable, List<Cell>> present = rows.of(rowsOfKeys);
        BitSet confirmed = new BitSet(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            List<Cell> cells = present.get(rowsOfKeys.get(i));
            confirmed.set(
                    i,
                    cells != null
                            && isYielded(
                                    keys.get(i),
                                    request.getFingerprint(i),
                                    rowsOfKeys.get(i).get(),
                                    cells,
                                    function));
        }
        return confirmed;
    }

    private static boolean isYielded(
            byte[] key, long fingerprint, byte[] row, List<Cell> cells, IndexEntryFunction function) {
        return function.entryOf(row, cells)
                .filter(present -> Arrays.equals(present.key(), key) && present.fingerprint() == fingerprint)
                .isPresent();
    }
}
