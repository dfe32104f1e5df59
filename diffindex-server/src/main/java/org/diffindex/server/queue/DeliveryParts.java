package org.diffindex.server.queue;

import java.util.function.LongSupplier;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.maintain.RegionMaintainers;

/**
 * The collaborators that deliver one region's changes.
 *
 * @param region the region's name, for messages
 * @param queue the region's AUQ
 * @param spill the part of the AUQ that is on disk
 * @param maintainers compute the updates
 * @param sink writes the updates to the index tables
 * @param threads the server's threads
 * @param stats counts what is delivered
 * @param nanoClock elapsed time in nanoseconds, as {@link System#nanoTime}
 */
public record DeliveryParts(
        String region,
        UpdateQueue queue,
        Spill spill,
        RegionMaintainers maintainers,
        IndexSink sink,
        ApsThreads threads,
        DeliveryStats stats,
        LongSupplier nanoClock) {}
