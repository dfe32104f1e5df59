package org.diffindex.server.queue;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The threads of the APS that the regions of a server share.
 *
 * @param shared read rows, and wait a moment for calls; a task takes no longer than that
 * @param calls make the calls to index tables, which may take long: as many threads as there are calls
 * @param stalled bounds the calls to those index tables that do not answer
 * @param lingerMs how long the first change of a batch waits for others to go with it
 */
public record ApsThreads(
        ScheduledExecutorService shared, ExecutorService calls, StalledIndexes stalled, long lingerMs) {}
