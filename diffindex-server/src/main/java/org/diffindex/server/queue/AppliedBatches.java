package org.diffindex.server.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.diffindex.server.maintain.PeakSize;

/**
 * The batches of one region that are in the memstore and whose index updates are neither durable nor parked. A batch is
 * added while HBase holds the lock that excludes a flush snapshot; therefore every change in a snapshot is delivered,
 * parked or found here. Thread-safe.
 */
public final class AppliedBatches {
    /** Guarded by this. */
    private Set<PendingBatch> batches = new HashSet<>();

    private final PeakSize peak = new PeakSize();

    synchronized void add(PendingBatch batch) {
        batches.add(batch);
        peak.reached(batches.size());
    }

    synchronized void remove(PendingBatch batch) {
        batches.remove(batch);
        if (peak.isOutgrown(batches.size())) {
            batches = new HashSet<>();
        }
    }

    private synchronized List<PendingBatch> all() {
        return new ArrayList<>(batches);
    }

    /**
     * Returns the batches that are not on disk, by log sequence number of their first change. Each is kept from ending;
     * the caller must {@link PendingBatch#end} it.
     */
    public List<PendingBatch> keepUncovered() {
        List<PendingBatch> held = new ArrayList<>();
        for (PendingBatch batch : all()) {
            if (!batch.isCovered() && batch.tryKeep()) {
                held.add(batch);
            }
        }
        held.sort(Comparator.comparingLong(PendingBatch::firstSequence));
        return held;
    }
}
