package org.diffindex.lab.bench;

import org.diffindex.server.queue.UpdateProcessor;

/** How many calls index mutations come to: those that a server sends at a time to the same server go in one. Pure. */
final class FanOut {
    private FanOut() {}

    /** D(n, S): how many of some servers are reached by mutations that fall evenly on them. */
    static double reached(double mutations, double servers) {
        return servers * (1 - Math.pow(1 - 1 / servers, mutations));
    }

    /** The calls of a client's batch whose rows fall evenly on the servers, each with so many mutations. */
    static double ofBatch(double rows, double mutationsOfRow, double servers) {
        return servers * reached(mutationsOfRow * rows / servers, servers);
    }

    /** The calls for each row that the AUQ of a region delivers, which gets so many rows in a second. */
    static double ofQueuedRow(double rowsPerSecond, double mutationsOfRow, double servers) {
        double waiting = rowsPerSecond * UpdateProcessor.DEFAULT_LINGER_MS / 1e3;
        double rows = Math.max(1, Math.min(UpdateProcessor.BATCH, waiting));
        return reached(mutationsOfRow * rows, servers) / rows;
    }
}
