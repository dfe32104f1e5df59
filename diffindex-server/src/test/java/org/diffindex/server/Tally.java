package org.diffindex.server;

import java.util.concurrent.atomic.AtomicLong;

/** Counts what the test's own thread does, which is before the acknowledgement, apart from what other threads do. */
final class Tally {
    private final OwnThreads own = new OwnThreads();
    private final AtomicLong ownCount = new AtomicLong();
    private final AtomicLong othersCount = new AtomicLong();

    void add(long count) {
        (own.areRunning() ? ownCount : othersCount).addAndGet(count);
    }

    long own() {
        return ownCount.get();
    }

    long others() {
        return othersCount.get();
    }
}
