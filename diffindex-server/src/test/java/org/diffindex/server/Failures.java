package org.diffindex.server;

import java.util.concurrent.atomic.AtomicInteger;

/** Calls that are to fail: the next ones that are made before an acknowledgement. */
final class Failures {
    private final OwnThreads own = new OwnThreads();
    private final AtomicInteger left = new AtomicInteger();
    private volatile boolean outage;

    void failNext(int calls) {
        left.set(calls);
    }

    /** Begins or ends an outage: until its end every call of every thread fails. */
    void outage(boolean begins) {
        outage = begins;
    }

    /** Whether this call fails. */
    boolean next() {
        return outage || (own.areRunning() && left.getAndUpdate(count -> Math.max(0, count - 1)) > 0);
    }
}
