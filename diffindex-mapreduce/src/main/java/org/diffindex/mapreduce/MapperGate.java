package org.diffindex.mapreduce;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.diffindex.protocol.DiffIndexProtos.BuildResponse;
import org.diffindex.tasks.Pace;
import org.diffindex.tasks.Waiting;

/**
 * Makes a mapper keep to the orders for the build, which may change at any time. The mapper passes the gate before each page;
 * the gate reads the orders once a second. Confined to one thread.
 */
final class MapperGate {
    private static final long LOOK_NANOS = Duration.ofSeconds(1).toNanos();
    private static final Duration SLICE = Duration.ofMillis(200);

    /** Reads the orders. */
    @FunctionalInterface
    interface Orders {
        /** Returns them; throws if the mapper is not to go on. */
        BuildResponse read() throws IOException;
    }

    private final Orders orders;
    private final int mappers;
    private final Runnable alive;
    private final LongSupplier nanoTime;
    private final Waiting waiting;

    private BuildResponse latest;
    private long readAt;

    /** The rate that the pace is for; 0 for none. */
    private double rate;

    private Optional<Pace> pace = Optional.empty();

    /**
     * Creates a gate.
     *
     * @param mappers among how many mappers the rate is divided
     * @param alive called while the mapper waits, so that Hadoop does not take it for dead
     */
    MapperGate(Orders orders, int mappers, Runnable alive, LongSupplier nanoTime, Waiting waiting) {
        this.orders = orders;
        this.mappers = mappers;
        this.alive = alive;
        this.nanoTime = nanoTime;
        this.waiting = waiting;
    }

    /** Waits while the build is paused, and until the rate allows a page; returns how many rows the page may read. */
    int pass(int most) throws IOException {
        while (true) {
            awaitResumption();
            int rows = pace.map(limit -> limit.together(most)).orElse(most);
            if (isPassed(rows)) {
                return rows;
            }
        }
    }

    private void awaitResumption() throws IOException {
        look();
        while (latest.getPaused()) {
            waitFor(SLICE);
            look();
        }
    }

    /** Waits until the rate allows some rows; returns false, perhaps before, if there are other orders. */
    private boolean isPassed(int rows) throws IOException {
        double followed = rate;
        Duration left = pace.map(limit -> limit.reserve(rows)).orElse(Duration.ZERO);
        while (!left.isZero()) {
            Duration slice = left.compareTo(SLICE) < 0 ? left : SLICE;
            waitFor(slice);
            left = left.minus(slice);
            look();
            if (latest.getPaused() || rate != followed) {
                return false;
            }
        }
        return true;
    }

    private void waitFor(Duration time) throws IOException {
        alive.run();
        waiting.pause(time);
    }

    /** Reads the orders, unless that was done within the last second. */
    private void look() throws IOException {
        if (latest != null && nanoTime.getAsLong() - readAt < LOOK_NANOS) {
            return;
        }
        latest = orders.read();
        readAt = nanoTime.getAsLong();
        if (latest.getRowsPerSecond() != rate) {
            rate = latest.getRowsPerSecond();
            pace = rate > 0 ? Optional.of(new Pace(rate / mappers, nanoTime, waiting)) : Optional.empty();
        }
    }
}
