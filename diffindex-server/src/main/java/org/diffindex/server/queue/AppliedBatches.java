package org.diffindex.server.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.diffindex.server.maintain.PeakSize;

/**
 * The batches of one region that are in the memstore and whose index updates are not durable. A batch is entered while
 * HBase holds the lock that keeps a flush from taking its snapshot; so whatever is in a snapshot is either delivered or
 * found here. Safe for use by many threads.
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

    /** The batches that are not on disk, oldest first; each is kept for the caller, which ends that. */
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
