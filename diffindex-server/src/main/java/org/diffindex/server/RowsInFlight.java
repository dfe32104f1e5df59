package org.diffindex.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.diffindex.server.maintain.PeakSize;
import org.diffindex.server.maintain.RowChange;

/**
 * The changes of one region's rows whose synchronous index updates are being written. The row is already unlocked, and
 * its next write may be acknowledged first; so that write must also deliver the changes before it, or readers would
 * still find an entry that one of them replaces.
 *
 * <p>Thread-safe.
 */
final class RowsInFlight {
    /** Guarded by this. */
    private Map<ImmutableBytesWritable, List<RowChange>> rows = new HashMap<>();

    private final PeakSize peak = new PeakSize();

    /**
     * Enters a change, whose row must be locked; {@link #leave} it when the indexes or the AUQ have it.
     *
     * @return the earlier changes of the row that are still in flight
     */
    synchronized List<RowChange> enter(RowChange change) {
        List<RowChange> now = rows.merge(
                new ImmutableBytesWritable(change.row()), List.of(change), (earlier, own) -> concat(earlier, change));
        peak.reached(rows.size());
        return now.subList(0, now.size() - 1);
    }

    private static List<RowChange> concat(List<RowChange> earlier, RowChange change) {
        List<RowChange> all = new ArrayList<>(earlier);
        all.add(change);
        return all;
    }

    /** Removes a change, if it was entered. */
    synchronized void leave(RowChange change) {
        rows.computeIfPresent(new ImmutableBytesWritable(change.row()), (row, changes) -> {
            List<RowChange> left =
                    changes.stream().filter(each -> each != change).toList();
            return left.isEmpty() ? null : left;
        });
        if (peak.isOutgrown(rows.size())) {
            rows = new HashMap<>();
        }
    }

    /** Returns the changes of a row that are in flight. */
    synchronized List<RowChange> of(byte[] row) {
        return rows.getOrDefault(new ImmutableBytesWritable(row), List.of());
    }

    /** Returns the number of rows with changes in flight. */
    synchronized int size() {
        return rows.size();
    }
}
