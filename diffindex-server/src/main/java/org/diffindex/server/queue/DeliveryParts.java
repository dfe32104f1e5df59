package org.diffindex.server.queue;

import java.util.function.LongSupplier;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.maintain.RegionMaintainers;

/**
 * What the delivery of one region's changes is made of.
 *
 * @param region the region's name, for messages
 * @param queue the region's AUQ
 * @param spill what of it is on disk
 * @param maintainers work out the updates
 * @param sink takes them
 * @param threads those of the server
 * @param stats counts what is delivered
 * @param nanoClock tells the time that has passed
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
