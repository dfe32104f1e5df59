package org.diffindex.server;

import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.queue.Backlog;
import org.diffindex.server.queue.DeliveryStats;
import org.diffindex.server.queue.IndexBacklog;

/**
 * The cost of one region's indexes since it was opened, and their current backlog. Thread-safe: used by endpoint
 * handlers and readers of the server's metrics.
 */
final class RegionMetrics {
    private final RegionDelivery delivery;

    RegionMetrics(RegionDelivery delivery) {
        this.delivery = delivery;
    }

    /** Returns the backlog in memory, for all indexes. */
    Backlog backlog() {
        return delivery.processor().backlog();
    }

    /** Returns the backlog of each index that is behind the others, by index name. */
    Map<String, IndexBacklog> backlogs() {
        return delivery.processor().backlogs();
    }

    /** Returns the indexed table. */
    TableName table() {
        return indexes().get(0).table();
    }

    /** Returns the indexes of the region. */
    List<IndexDefinition> indexes() {
        return delivery.processor().indexes();
    }

    /** Returns what one index of the region lacks. */
    IndexBacklog lackedBy(TableName indexTable) {
        return delivery.processor().lackedBy(indexTable);
    }

    /** Returns the number of parked spill files. */
    int parkedFiles() {
        return delivery.spill().parkedFiles();
    }

    /** Returns the live counters. */
    DeliveryStats stats() {
        return delivery.stats();
    }
}
