package org.diffindex.lab.bench.report;

import org.diffindex.server.queue.UpdateProcessor;

/**
 * Estimates the number of calls that index mutations take: mutations that a server sends to the same server at the same
 * time share a call. Pure.
 */
final class FanOut {
    private FanOut() {}

    /** Returns D(n, S): the expected number of servers that evenly distributed mutations reach. */
    static double reached(double mutations, double servers) {
        return servers * (1 - Math.pow(1 - 1 / servers, mutations));
    }

    /** Returns the number of calls for a client's batch of evenly distributed rows, each with that many mutations. */
    static double ofBatch(double rows, double mutationsOfRow, double servers) {
        return servers * reached(mutationsOfRow * rows / servers, servers);
    }

    /** Returns the number of calls per row of an AUQ that receives that many rows per second. */
    static double ofQueuedRow(double rowsPerSecond, double mutationsOfRow, double servers) {
        double waiting = rowsPerSecond * UpdateProcessor.DEFAULT_LINGER_MS / 1e3;
        double rows = Math.max(1, Math.min(UpdateProcessor.BATCH, waiting));
        return reached(mutationsOfRow * rows, servers) / rows;
    }
}
