package org.diffindex.server.local;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the work of a test's own threads, which precedes the acknowledgement, apart from that of other threads. */
public final class Tally {
    private final OwnThreads own = new OwnThreads();
    private final AtomicLong ownCount = new AtomicLong();
    private final AtomicLong othersCount = new AtomicLong();

    public void add(long count) {
        (own.areRunning() ? ownCount : othersCount).addAndGet(count);
    }

    public long own() {
        return ownCount.get();
    }

    public long others() {
        return othersCount.get();
    }
}
