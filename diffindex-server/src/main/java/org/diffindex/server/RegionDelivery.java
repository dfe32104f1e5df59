package org.diffindex.server;

import org.diffindex.server.queue.DeliveryStats;
import org.diffindex.server.queue.Spill;
import org.diffindex.server.queue.UpdateProcessor;

/**
 * The delivery of one region's index updates.
 *
 * @param processor delivers the AUQ
 * @param spill holds on disk what is not delivered
 * @param stats counts what is delivered
 */
record RegionDelivery(UpdateProcessor processor, Spill spill, DeliveryStats stats) {}
