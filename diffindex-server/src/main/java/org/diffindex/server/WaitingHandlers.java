package org.diffindex.server;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The handlers of a region server that wait for index tables. When half of the handlers available to writes have each
 * waited for a second or longer, index tables are assumed not to answer; further writes are refused then, so that the
 * server has handlers left for everything else. Thread-safe.
 */
final class WaitingHandlers {
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int most;
    private final LongSupplier nanoClock;
    private final Set<Wait> waits = ConcurrentHashMap.newKeySet();

    /**
     * Creates an instance without waiting handlers.
     *
     * @param writeHandlers number of handlers available to writes
     * @param nanoClock elapsed time in nanoseconds
     */
    WaitingHandlers(int writeHandlers, LongSupplier nanoClock) {
        this.most = Math.max(1, writeHandlers / 2);
        this.nanoClock = nanoClock;
    }

    /** One handler's wait; call {@link #end} when it is over. */
    final class Wait {
        private final long sinceNanos = nanoClock.getAsLong();

        private boolean isLong(long nowNanos) {
            return nowNanos - sinceNanos >= LONG_NANOS;
        }

        void end() {
            waits.remove(this);
        }
    }

    /** Records that a handler begins to wait. */
    Wait begin() {
        Wait wait = new Wait();
        waits.add(wait);
        return wait;
    }

    /** Returns whether so many handlers have waited for so long that no further one should. */
    boolean areTooMany() {
        if (waits.size() < most) {
            return false;
        }
        long now = nanoClock.getAsLong();
        return waits.stream().filter(wait -> wait.isLong(now)).count() >= most;
    }
}
