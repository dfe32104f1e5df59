package org.diffindex.server;

import java.util.Map;
import org.diffindex.server.queue.Backlog;
import org.diffindex.server.queue.DeliveryStats;
import org.diffindex.server.queue.IndexBacklog;
import org.diffindex.server.queue.Spill;
import org.diffindex.server.queue.UpdateProcessor;

/**
 * The cost of one region's indexes since it was opened, and their current backlog. Thread-safe: used by endpoint
 * handlers and readers of the server's metrics.
 */
final class RegionMetrics {
    private final UpdateProcessor processor;
    private final Spill spill;
    private final DeliveryStats stats;

    RegionMetrics(UpdateProcessor processor, Spill spill, DeliveryStats stats) {
        this.processor = processor;
        this.spill = spill;
        this.stats = stats;
    }

    /** Returns the backlog in memory, for all indexes. */
    Backlog backlog() {
        return processor.backlog();
    }

    /** Returns the backlog of each index that is behind the others, by index name. */
    Map<String, IndexBacklog> backlogs() {
        return processor.backlogs();
    }

    /** Returns the number of parked spill files. */
    int parkedFiles() {
        return spill.parkedFiles();
    }

    /** Returns the live counters. */
    DeliveryStats stats() {
        return stats;
    }
}
