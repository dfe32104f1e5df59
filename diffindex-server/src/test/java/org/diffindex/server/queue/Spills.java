package org.diffindex.server.queue;

import java.util.concurrent.locks.ReentrantLock;
import org.diffindex.server.spill.SpillFiles;

/** Makes spills for tests. */
public final class Spills {
    private Spills() {}

    /** Returns a spill with nothing on disk, which removes files at once and counts for no index. */
    public static Spill of(
            SpillFiles files,
            UpdateQueue queue,
            AppliedBatches appliedBatches,
            FlushBarrier barrier,
            QueueMemory memory) {
        return new Spill(
                files, queue, appliedBatches, barrier, memory, Runnable::run, new DeliveryStats(), new ReentrantLock());
    }
}
