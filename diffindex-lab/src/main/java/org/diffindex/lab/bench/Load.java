package org.diffindex.lab.bench;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.diffindex.lab.steps.Parallel;

/**
 * The operations of some clients that work at the same time. In a closed loop each starts an operation when its last one has
 * ended. With a rate each starts its operations when the {@link Schedule} says so, and latencies count from there.
 *
 * @param threads how many clients there are
 * @param rate how many operations all of them start in a second; empty for a closed loop
 * @param seconds how long they start operations; each does one at least
 * @param delay how many seconds later than that they start those that are overdue, before they give up
 */
record Load(int threads, OptionalDouble rate, double seconds, double delay) {
    /** A stall of this length at the end of a load does not end it. */
    private static final double LEAST_DELAY = 2;

    /** As many operations as the clients can. */
    static Load closed(int threads, double seconds) {
        return new Load(threads, OptionalDouble.empty(), seconds, 0);
    }

    /** So many operations in a second. */
    static Load paced(int threads, double perSecond, double seconds) {
        return new Load(threads, OptionalDouble.of(perSecond), seconds, Math.max(LEAST_DELAY, seconds));
    }

    /** One client. For use by one thread. */
    @FunctionalInterface
    interface Client extends Closeable {
        /** Does one operation. */
        void operate() throws IOException;

        @Override
        default void close() throws IOException {}
    }

    /** Makes the clients. */
    @FunctionalInterface
    interface Clients {
        /** The client of a thread; threads count from 0. */
        Client open(int thread) throws IOException;
    }

    /**
     * What the clients did.
     *
     * @param nanos the latencies of all operations; of one that was not started, how long it has waited
     * @param startNanos when they began, by {@link System#nanoTime}
     * @param notStarted how many operations the rate asked for that were not started
     */
    record Done(Histogram nanos, long startNanos, long notStarted) {
        /** The seconds since the begin. */
        double secondsUntilNow() {
            return (System.nanoTime() - startNanos) / 1e9;
        }

        /** How many operations were done. */
        long operations() {
            return nanos.getTotalCount() - notStarted;
        }
    }

    /** Runs the clients; returns when the last operation has ended. */
    Done run(Clients clients) throws IOException {
        List<Client> open = new ArrayList<>();
        try {
            for (int thread = 0; thread < threads; thread++) {
                open.add(clients.open(thread));
            }
            long start = System.nanoTime();
            List<Callable<Done>> loops = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int each = thread;
                loops.add(() -> rate.isPresent() ? paced(open.get(each), each, start) : closed(open.get(each), start));
            }
            Histogram all = new Histogram(3);
            long notStarted = 0;
            for (Done done : Parallel.run(threads, loops)) {
                all.add(done.nanos);
                notStarted += done.notStarted;
            }
            return new Done(all, start, notStarted);
        } finally {
            for (Client client : open) {
                client.close();
            }
        }
    }

    private Done closed(Client client, long start) throws IOException {
        Histogram nanos = new Histogram(3);
        long end = start + nanosOf(seconds);
        long before = System.nanoTime();
        do {
            client.operate();
            long after = System.nanoTime();
            nanos.recordValue(after - before);
            before = after;
        } while (before - end < 0 && !Thread.currentThread().isInterrupted());
        return new Done(nanos, start, 0);
    }

    private Done paced(Client client, int thread, long start) throws IOException {
        Histogram nanos = new Histogram(3);
        Schedule schedule = new Schedule(start, rate.orElseThrow(), threads, thread);
        long end = start + nanosOf(seconds);
        long latest = end + nanosOf(delay);
        long notStarted = 0;
        for (long n = 0; n == 0 || schedule.intendedStart(n) - end < 0; n++) {
            long intended = schedule.intendedStart(n);
            awaitTime(intended);
            if (n == 0 || System.nanoTime() - latest < 0) {
                client.operate();
            } else {
                notStarted++;
            }
            nanos.recordValue(System.nanoTime() - intended);
        }
        return new Done(nanos, start, notStarted);
    }

    private static long nanosOf(double seconds) {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    private static void awaitTime(long time) throws IOException {
        for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new IOException("The run was interrupted");
            }
            LockSupport.parkNanos(left);
        }
    }
}
