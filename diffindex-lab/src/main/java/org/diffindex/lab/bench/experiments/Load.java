package org.diffindex.lab.bench.experiments;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.steps.Parallel;

/**
 * Concurrent clients that perform operations. In a closed loop, each client starts an operation when its previous one
 * ends. At a target rate, each starts its operations at the times of its {@link Schedule}, and latencies count from
 * these intended starts.
 *
 * @param threads the number of clients
 * @param rate the target rate of all clients together, in operations per second; empty for a closed loop
 * @param seconds the time for which they start operations; each performs at least one
 * @param delay the seconds after that time in which they still start overdue operations, before they give up
 */
record Load(int threads, OptionalDouble rate, double seconds, double delay) {
    /** The shortest delay: a stall of this length at the end of a load loses no operation. */
    private static final double LEAST_DELAY = 2;

    /** Returns a closed loop. */
    static Load closed(int threads, double seconds) {
        return new Load(threads, OptionalDouble.empty(), seconds, 0);
    }

    /** Returns a load at a target rate. */
    static Load paced(int threads, double perSecond, double seconds) {
        return new Load(threads, OptionalDouble.of(perSecond), seconds, Math.max(LEAST_DELAY, seconds));
    }

    /** A client of a load. For use by one thread. */
    @FunctionalInterface
    interface Client extends Closeable {
        /** Performs one operation. */
        void operate() throws IOException;

        @Override
        default void close() throws IOException {}
    }

    /** Creates the clients. */
    @FunctionalInterface
    interface Clients {
        /** Creates the client of a thread; threads count from 0. */
        Client open(int thread) throws IOException;
    }

    /**
     * The operations of the clients.
     *
     * @param nanos the latencies of all operations; for an operation that was never started, the time that it was
     *     overdue
     * @param startNanos when the clients started, as a time of {@link System#nanoTime}
     * @param notStarted the number of operations that were due and never started
     * @param rate the target rate; empty for a closed loop
     */
    record Done(Histogram nanos, long startNanos, long notStarted, OptionalDouble rate) {
        /** Returns the seconds since the start. */
        double secondsUntilNow() {
            return (System.nanoTime() - startNanos) / 1e9;
        }

        /** Returns how many operations completed. */
        long operations() {
            return nanos.getTotalCount() - notStarted;
        }

        /** Returns the measurement of a load that has just ended. */
        Measurement measurement() {
            return measurement(secondsUntilNow());
        }

        /** Returns the measurement of a load that took that long, any final wait included. */
        Measurement measurement(double seconds) {
            Measurement measurement = Measurement.of(nanos, operations(), seconds);
            return rate.isPresent()
                    ? measurement.with(Measurement.TARGET, rate.getAsDouble()).with(Measurement.NOT_STARTED, (double)
                            notStarted)
                    : measurement;
        }
    }

    /** Runs the clients; returns when the last operation ends. */
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
            return new Done(all, start, notStarted, rate);
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
        return new Done(nanos, start, 0, rate);
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
        return new Done(nanos, start, notStarted, rate);
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
