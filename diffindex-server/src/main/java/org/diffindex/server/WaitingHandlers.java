package org.diffindex.server;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The handlers of a region server that wait for an index table. When half of those that writes can use have waited for
 * long, an index table does not answer; further writes are turned away then, so that the server has handlers left for
 * everything else. Safe for use by many threads.
 */
final class WaitingHandlers {
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int most;
    private final LongSupplier nanoClock;
    private final Set<Wait> waits = ConcurrentHashMap.newKeySet();

    /**
     * None waits yet.
     *
     * @param writeHandlers how many handlers writes can use
     */
    WaitingHandlers(int writeHandlers, LongSupplier nanoClock) {
        this.most = Math.max(1, writeHandlers / 2);
        this.nanoClock = nanoClock;
    }

    /** One handler's wait. */
    final class Wait {
        private final long sinceNanos = nanoClock.getAsLong();

        private boolean isLong(long nowNanos) {
            return nowNanos - sinceNanos >= LONG_NANOS;
        }

        void end() {
            waits.remove(this);
        }
    }

    /** A handler begins to wait. */
    Wait begin() {
        Wait wait = new Wait();
        waits.add(wait);
        return wait;
    }

    /** Whether so many have waited for so long that no other one should. */
    boolean areTooMany() {
        if (waits.size() < most) {
            return false;
        }
        long now = nanoClock.getAsLong();
        return waits.stream().filter(wait -> wait.isLong(now)).count() >= most;
    }
}
