package org.diffindex.server;

import java.util.concurrent.atomic.AtomicInteger;

/** Calls that are to fail: the next ones that the test's own thread makes, which is before an acknowledgement. */
final class Failures {
    private final Thread own = Thread.currentThread();
    private final AtomicInteger left = new AtomicInteger();

    void failNext(int calls) {
        left.set(calls);
    }

    /** Whether this call fails. */
    boolean next() {
        return Thread.currentThread() == own && left.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
    }
}
