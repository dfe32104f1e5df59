package org.diffindex.server;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The handlers of a region server that are updating synchronous indexes: writing to index tables, or waiting until the
 * changes that such an index lacks are loaded from disk. When half of the handlers available to writes have each done
 * that for a second or longer, index tables are assumed not to answer; {@link Admission} then refuses further writes to
 * regions with synchronous indexes, so that handlers are left for other calls. Thread-safe.
 */
final class WaitingHandlers {
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int most;
    private final LongSupplier nanoClock;
    private final Set<Wait> waits = ConcurrentHashMap.newKeySet();

    /**
     * Creates an instance without waiting handlers.
     *
     * @param writeHandlers number of handlers available to writes; half of it is rounded down, and at least 1
     * @param nanoClock as {@link System#nanoTime}
     */
    WaitingHandlers(int writeHandlers, LongSupplier nanoClock) {
        this.most = Math.max(1, writeHandlers / 2);
        this.nanoClock = nanoClock;
    }

    /** The wait of one handler; lasts until {@link #end} is called. */
    final class Wait {
        private final long sinceNanos = nanoClock.getAsLong();

        private boolean isLong(long nowNanos) {
            return nowNanos - sinceNanos >= LONG_NANOS;
        }

        /** Ends the wait; has no effect if it has ended. */
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

    /** Returns whether half of the write handlers or more have each waited for a second or longer. */
    boolean areTooMany() {
        if (waits.size() < most) {
            return false;
        }
        long now = nanoClock.getAsLong();
        return waits.stream().filter(wait -> wait.isLong(now)).count() >= most;
    }
}
