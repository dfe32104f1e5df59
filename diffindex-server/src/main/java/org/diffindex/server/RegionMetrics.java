package org.diffindex.server;

import java.util.Map;
import org.diffindex.server.queue.Backlog;
import org.diffindex.server.queue.DeliveryStats;
import org.diffindex.server.queue.IndexBacklog;
import org.diffindex.server.queue.Spill;
import org.diffindex.server.queue.UpdateProcessor;

/**
 * What the indexes of one region have cost since it was opened, and how far they are behind now. Safe for use by many threads:
 * endpoint handlers, and those that read the server's metrics.
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

    /** Returns what waits in memory, for all indexes. */
    Backlog backlog() {
        return processor.backlog();
    }

    /** Returns what waits for each index that is behind the others, by its name. */
    Map<String, IndexBacklog> backlogs() {
        return processor.backlogs();
    }

    /** Returns the number of spill files that wait to be loaded. */
    int parkedFiles() {
        return spill.parkedFiles();
    }

    /** Returns the counters, which go on counting. */
    DeliveryStats stats() {
        return stats;
    }
}
