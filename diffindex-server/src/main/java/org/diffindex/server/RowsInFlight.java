package org.diffindex.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.diffindex.server.maintain.PeakSize;
import org.diffindex.server.maintain.RowChange;

/**
 * The changes of one region's rows whose synchronous indexes are being written. The row is free for the next write by then,
 * which may be acknowledged first; so it has to see to the changes before it too, or an entry that one of them ends would
 * still be found.
 *
 * <p>Safe for use by many threads.
 */
final class RowsInFlight {
    /** Guarded by this. */
    private Map<ImmutableBytesWritable, List<RowChange>> rows = new HashMap<>();

    private final PeakSize peak = new PeakSize();

    /**
     * Enters a change, while its row is locked; leave it when the indexes have it or the AUQ does.
     *
     * @return the changes of the row before it that are still under way
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

    /** The change is under way no more, if it was. */
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

    /** How many rows have changes under way. */
    synchronized int size() {
        return rows.size();
    }
}
