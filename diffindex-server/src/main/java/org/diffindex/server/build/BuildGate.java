package org.diffindex.server.build;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.diffindex.tasks.Pace;
import org.diffindex.tasks.Waiting;

/**
 * Makes the threads of a build keep to the orders for it, which may change at any time. A thread passes the gate before
 * each page. Thread-safe.
 */
final class BuildGate {
    /** The longest time for which a thread that waits for the rate does not look for other orders. */
    private static final Duration LOOK = Duration.ofMillis(100);

    private final LongSupplier nanoTime;
    private final Waiting waiting;

    /** Guarded by this. */
    private Followed followed;

    /** Orders, and the pace that follows from them. Compared by identity: other orders make another one. */
    private static final class Followed {
        final BuildOrders orders;

        /** Empty if the orders do not limit the rate. */
        final Optional<Pace> pace;

        Followed(BuildOrders orders, Optional<Pace> pace) {
            this.orders = orders;
            this.pace = pace;
        }

        /** Returns how many rows a page may read: as many as a tenth of a second allows, between 1 and the given number. */
        int together(int most) {
            return pace.map(limit -> limit.together(most)).orElse(most);
        }
    }

    BuildGate(BuildOrders orders) {
        this(orders, System::nanoTime, time -> TimeUnit.NANOSECONDS.sleep(time.toNanos()));
    }

    BuildGate(BuildOrders orders, LongSupplier nanoTime, Waiting waiting) {
        this.nanoTime = nanoTime;
        this.waiting = waiting;
        this.followed = followed(orders);
    }

    private Followed followed(BuildOrders orders) {
        return new Followed(
                orders,
                orders.rowsPerSecond().stream()
                        .mapToObj(rate -> new Pace(rate, nanoTime, waiting))
                        .findFirst());
    }

    /** Replaces the orders; threads that wait soon go on as the new ones say. */
    synchronized void set(BuildOrders next) {
        if (!next.equals(followed.orders)) {
            followed = followed(next);
            notifyAll();
        }
    }

    /**
     * Waits while the build is paused, and until its rate allows a page; returns how many rows the page may read.
     *
     * @param most the most rows of a page
     * @throws InterruptedIOException if the thread is interrupted
     */
    int pass(int most) throws IOException {
        while (true) {
            Followed now = awaitResumption();
            int rows = now.together(most);
            if (isPassed(now, rows)) {
                return rows;
            }
        }
    }

    /** Waits until the rate allows some rows; returns false, perhaps before, if there are other orders. */
    private boolean isPassed(Followed now, int rows) throws IOException {
        Duration left = now.pace.map(pace -> pace.reserve(rows)).orElse(Duration.ZERO);
        while (isFollowed(now) && !left.isZero()) {
            Duration slice = left.compareTo(LOOK) < 0 ? left : LOOK;
            waiting.pause(slice);
            left = left.minus(slice);
        }
        return isFollowed(now);
    }

    private synchronized boolean isFollowed(Followed now) {
        return followed == now;
    }

    private synchronized Followed awaitResumption() throws IOException {
        try {
            while (followed.orders.isPaused()) {
                wait();
            }
            return followed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted while the build is paused").initCause(e);
        }
    }
}
