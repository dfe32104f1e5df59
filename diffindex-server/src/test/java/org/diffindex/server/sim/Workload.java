package org.diffindex.server.sim;

import java.util.Random;

/**
 * What the clients of a run write.
 *
 * @param rows how many rows; of one row all writes meet
 * @param origins how many origins they choose from: of few a row often gets back what it had
 * @param mostWrites the most writes of one client
 * @param kinds how often each kind of write comes; some are left out, so that others meet
 */
record Workload(int rows, int origins, int mostWrites, Weights kinds) {
    /** The most rows of any workload. */
    static final int MOST_ROWS = 3;

    private static final int HOT_ONCE_IN = 6;

    /**
     * The kinds of writes that write one column, or delete all: of a write that a replay brings back beneath later ones of its row
     * that wrote other columns docs/consistency.md promises no more.
     */
    static final int OF_ONE_COLUMN = 4;

    static Workload random(Random random, int kindsOfWrites) {
        Weights kinds = new Weights(random, kindsOfWrites);
        return random.nextInt(HOT_ONCE_IN) == 0
                ? new Workload(1, 2, 8, kinds)
                : new Workload(MOST_ROWS, ClientWrite.ORIGINS.length, 5, kinds);
    }

    /** The next write of some client. */
    ClientWrite next(Random random, int number) {
        return ClientWrite.random(random, this, number);
    }
}
