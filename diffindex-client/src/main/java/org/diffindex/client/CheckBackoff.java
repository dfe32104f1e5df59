package org.diffindex.client;

/**
 * Decides about which pages of an index's entries the regions are asked. After a page of which they confirmed too little,
 * the next pages are not asked about: one at first, twice as many each time, up to {@value #MOST_SKIPPED}. A page of which
 * they confirmed enough ends that. Thread-safe.
 */
final class CheckBackoff {
    /** The share of the entries that must be confirmed, as a divisor, for the calls to have been worthwhile. */
    private static final int WORTHWHILE = 4;

    private static final int MOST_SKIPPED = 64;

    /** The number of pages that are to be skipped now. */
    private int left;

    /** The number of pages that the next failure causes to be skipped. */
    private int next = 1;

    /** Counts a page; returns whether the regions are asked about it. */
    synchronized boolean admitsPage() {
        if (left == 0) {
            return true;
        }
        left--;
        return false;
    }

    /**
     * Learns from an admitted page.
     *
     * @param confirmed how many of the entries were confirmed
     * @param asked the number of entries about which regions were asked, perhaps 0
     */
    synchronized void learn(int confirmed, int asked) {
        if (asked == 0) {
            return;
        }
        if (confirmed * WORTHWHILE >= asked) {
            left = 0;
            next = 1;
        } else if (left == 0) { // otherwise another page, asked about at the same time, has told the same
            left = next;
            next = Math.min(2 * next, MOST_SKIPPED);
        }
    }
}
