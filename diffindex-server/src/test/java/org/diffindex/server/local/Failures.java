package org.diffindex.server.local;

import java.util.concurrent.atomic.AtomicInteger;

/** Makes calls fail: the next ones before an acknowledgement, or all during an outage. */
public final class Failures {
    private final OwnThreads own = new OwnThreads();
    private final AtomicInteger left = new AtomicInteger();
    private volatile boolean outage;

    public void failNext(int calls) {
        left.set(calls);
    }

    /** Begins or ends an outage, during which every call of every thread fails. */
    public void outage(boolean begins) {
        outage = begins;
    }

    /** Returns whether this call fails. */
    public boolean next() {
        return outage || (own.areRunning() && left.getAndUpdate(count -> Math.max(0, count - 1)) > 0);
    }
}
