package org.diffindex.server.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.diffindex.server.maintain.PeakSize;
import org.diffindex.server.maintain.RowChange;

/**
 * The changes of one region that synchronous indexes may lack because a crash or a failure came between the row and the
 * index, by row; mostly empty. Thread-safe.
 */
final class LackingRows {
    /** A list contains a change once for each item that carries it to a synchronous index. Guarded by this. */
    private Map<ImmutableBytesWritable, List<RowChange>> changes = new HashMap<>(2);

    private final PeakSize peak = new PeakSize();

    synchronized void add(RowChange change) {
        changes.computeIfAbsent(new ImmutableBytesWritable(change.row()), row -> new ArrayList<>(1))
                .add(change);
        peak.reached(changes.size());
    }

    /** Removes one occurrence of the change. */
    synchronized void remove(RowChange change) {
        changes.computeIfPresent(new ImmutableBytesWritable(change.row()), (row, ofRow) -> {
            for (int i = 0; i < ofRow.size(); i++) {
                if (ofRow.get(i) == change) {
                    ofRow.remove(i);
                    break;
                }
            }
            return ofRow.isEmpty() ? null : ofRow;
        });
        if (peak.isOutgrown(changes.size())) {
            changes = new HashMap<>(2);
        }
    }

    /** Returns the distinct changes of a row. */
    synchronized List<RowChange> of(byte[] row) {
        return changes.isEmpty()
                ? List.of()
                : changes.getOrDefault(new ImmutableBytesWritable(row), List.of()).stream()
                        .distinct()
                        .toList();
    }
}
