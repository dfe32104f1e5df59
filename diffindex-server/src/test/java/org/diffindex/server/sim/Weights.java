package org.diffindex.server.sim;

import java.util.Random;

/** Random frequencies of several kinds, drawn once; some kinds never occur. */
final class Weights {
    private static final int MOST = 4;

    private final int[] weights;
    private final int sum;

    Weights(Random random, int kinds) {
        weights = new int[kinds];
        int total = 0;
        for (int i = 0; i < kinds; i++) {
            weights[i] = random.nextInt(MOST);
            total += weights[i];
        }
        if (total == 0) {
            weights[0] = 1;
            total = 1;
        }
        sum = total;
    }

    /** Returns a random kind. */
    int next(Random random) {
        int left = random.nextInt(sum);
        int kind = 0;
        while (left >= weights[kind]) {
            left -= weights[kind++];
        }
        return kind;
    }
}
