package org.diffindex.server.queue;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The threads of the APS, shared by all regions of a server.
 *
 * @param shared reads rows and starts runs; a task waits for calls for {@link UpdateProcessor#SLOW_CALL_NANOS} at most
 *     for each batch
 * @param calls makes the calls to index tables, which may take long; must not queue a call behind another one
 * @param stalled limits the threads that deliver to each index table
 * @param lingerMs how long a region's changes wait for others to share their calls, from the first change or from the end
 *     of the delivery before, in milliseconds
 */
public record ApsThreads(
        ScheduledExecutorService shared, ExecutorService calls, StalledIndexes stalled, long lingerMs) {}
