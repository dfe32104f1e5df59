package org.diffindex.cli.bench;

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

    /**
     * The calls for each row that an AUQ delivers.
     *
     * @param rowsPerSecond of the queue
     * @param lingerSeconds how long the first row of a batch waits for others
     * @param mostRows of a batch
     */
    static double ofQueuedRow(
            double rowsPerSecond, double lingerSeconds, double mostRows, double mutationsOfRow, double servers) {
        double rows = Math.max(1, Math.min(mostRows, rowsPerSecond * lingerSeconds));
        return reached(mutationsOfRow * rows, servers) / rows;
    }
}
