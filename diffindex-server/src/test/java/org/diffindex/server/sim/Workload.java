package org.diffindex.server.sim;

import java.util.Random;

/**
 * The writes that the clients of a run make.
 *
 * @param rows the number of rows; all writes meet if it is one
 * @param origins the number of origins; if there are few, a row often regains one that it had
 * @param mostWrites the largest number of writes of one client
 * @param kinds the frequency of each kind of write; some are omitted, so that others coincide
 */
record Workload(int rows, int origins, int mostWrites, Weights kinds) {
    /** The largest number of rows of any workload. */
    static final int MOST_ROWS = 3;

    private static final int HOT_ONCE_IN = 6;

    /**
     * The number of kinds of writes that write one column or delete all. If a replay restores a write beneath later
     * ones of its row that wrote other columns, docs/consistency.md promises nothing more.
     */
    static final int OF_ONE_COLUMN = 4;

    static Workload random(Random random, int kindsOfWrites) {
        Weights kinds = new Weights(random, kindsOfWrites);
        return random.nextInt(HOT_ONCE_IN) == 0
                ? new Workload(1, 2, 8, kinds)
                : new Workload(MOST_ROWS, ClientWrite.ORIGINS.length, 5, kinds);
    }

    /**
     * Returns the next write of a client.
     *
     * @param nowMs the present, in milliseconds
     */
    ClientWrite next(Random random, long nowMs, int number) {
        return ClientWrite.random(random, this, nowMs, number);
    }
}
