package org.diffindex.server;

import java.util.function.LongSupplier;
import org.diffindex.model.IndexSet;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.queue.PendingBatch;
import org.diffindex.server.queue.UpdateProcessor;
import org.diffindex.server.queue.UpdateQueue;

/**
 * Hands changes to the AUQ of a region and wakes its APS: changes that asynchronous indexes receive after the
 * acknowledgement, and changes that any index may lack after a failure or a crash.
 *
 * <p>Thread-safe. The changes of one row must be handed over in the order in which they were applied, that is, while
 * the row is locked or during WAL replay.
 */
final class AsynchronousUpdates {
    private final RegionMaintainers maintainers;
    private final UpdateQueue queue;
    private final UpdateProcessor processor;
    private final LongSupplier nanoTime;

    AsynchronousUpdates(
            RegionMaintainers maintainers, UpdateQueue queue, UpdateProcessor processor, LongSupplier nanoTime) {
        this.maintainers = maintainers;
        this.queue = queue;
        this.processor = processor;
        this.nanoTime = nanoTime;
    }

    /**
     * Adds the changes of a visible batch for the asynchronous indexes that they concern. Staleness is measured from
     * this call.
     */
    void add(PendingBatch batch) {
        long now = nanoTime.getAsLong();
        for (RowChange change : batch.changes()) {
            if (maintainers.concernedBy(change, IndexSet.asynchronous())) {
                queue.add(change, batch, now);
            }
        }
        processor.wake();
    }

    /**
     * Adds the changes of a failed batch for indexes that may lack them and may have received some of them.
     *
     * @param lacking these indexes, of any scheme
     */
    void addLacking(PendingBatch batch, IndexSet lacking) {
        addUnmerged(batch, lacking);
        processor.wake();
    }

    /**
     * Adds the changes of a replayed batch for the indexes that they are for. Does not wake the APS, which starts when
     * the region is open.
     */
    void addReplayed(PendingBatch batch, IndexSet indexes) {
        addUnmerged(batch, indexes);
    }

    private void addUnmerged(PendingBatch batch, IndexSet lacking) {
        for (RowChange change : batch.changes()) {
            queue.addReplayed(change, lacking, batch, nanoTime.getAsLong());
        }
    }
}
