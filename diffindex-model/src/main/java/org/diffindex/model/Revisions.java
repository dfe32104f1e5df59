package org.diffindex.model;

import java.util.concurrent.ThreadLocalRandom;

/**
 * The numbers by which the states of a table's index definitions are told apart ({@code diffindex.revision}); 0 is none. The
 * lowest {@value #COUNT_BITS} bits count the changes. The {@value #DRAWN_BITS} bits above are drawn at random for each, so
 * that of two clients that make the same change the later one is recognized. The bits above these are drawn when a table
 * gets its first index, so that a change of earlier indexes, if all were dropped, is not mistaken for one of the present
 * ones.
 */
final class Revisions {
    private static final int COUNT_BITS = 20;
    private static final int DRAWN_BITS = 22;
    private static final long FIRST_COUNT = 1;

    private Revisions() {}

    /** Returns a revision that follows another one; a first one, of a series of its own, if that is 0. */
    static long next(long revision) {
        boolean isFirst = revision == 0;
        long series = isFirst ? draw(Long.SIZE - 1 - DRAWN_BITS - COUNT_BITS) : seriesOf(revision);
        long count = isFirst ? FIRST_COUNT : countOf(revision + 1);
        return drawn(series, count);
    }

    /** Returns another revision in the place of one; 0 for 0. */
    static long redrawn(long revision) {
        return revision == 0 ? 0 : drawn(seriesOf(revision), countOf(revision));
    }

    private static long drawn(long series, long count) {
        return (series << (DRAWN_BITS + COUNT_BITS)) + (draw(DRAWN_BITS) << COUNT_BITS) + count;
    }

    private static long draw(int bits) {
        return ThreadLocalRandom.current().nextLong(1L << bits);
    }

    /**
     * Returns whether a revision is a next one of another: its count is one above and its series the same, or it is a first
     * one if the other is 0.
     */
    static boolean isNext(long before, long after) {
        return before == 0
                ? countOf(after) == FIRST_COUNT
                : seriesOf(after) == seriesOf(before) && countOf(after) == countOf(before + 1);
    }

    private static long seriesOf(long revision) {
        return revision >>> (DRAWN_BITS + COUNT_BITS);
    }

    private static long countOf(long revision) {
        return revision & ((1L << COUNT_BITS) - 1);
    }
}
