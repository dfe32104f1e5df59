package org.diffindex.cli.bench;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.diffindex.cli.Parallel;

/**
 * What clients do at a time: each starts an operation when its last one has ended, or, with a rate, when the schedule says so.
 *
 * @param threads how many clients there are
 * @param rate how many operations all of them start in a second; empty for as many as they can
 * @param seconds how long they start operations; each does one at least
 */
record Load(int threads, OptionalDouble rate, double seconds) {
    /** As many operations as the clients can. */
    static Load closed(int threads, double seconds) {
        return new Load(threads, OptionalDouble.empty(), seconds);
    }

    /** So many operations in a second. */
    static Load paced(int threads, double perSecond, double seconds) {
        return new Load(threads, OptionalDouble.of(perSecond), seconds);
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
     * @param nanos the latencies of all operations
     * @param startNanos when they began, by {@link System#nanoTime}
     */
    record Done(Histogram nanos, long startNanos) {
        /** The seconds since the begin. */
        double secondsUntilNow() {
            return (System.nanoTime() - startNanos) / 1e9;
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
            List<Callable<Histogram>> loops = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int each = thread;
                loops.add(() -> loop(open.get(each), each, start));
            }
            Histogram all = new Histogram(3);
            Parallel.run(threads, loops).forEach(all::add);
            return new Done(all, start);
        } finally {
            for (Client client : open) {
                client.close();
            }
        }
    }

    private Histogram loop(Client client, int thread, long start) throws IOException {
        Histogram nanos = new Histogram(3);
        long end = start + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        if (rate.isPresent()) {
            Schedule schedule = new Schedule(start, rate.getAsDouble(), threads, thread);
            for (long n = 0; n == 0 || schedule.intendedStart(n) - end < 0; n++) {
                awaitTime(schedule.intendedStart(n));
                client.operate();
                nanos.recordValue(System.nanoTime() - schedule.intendedStart(n));
            }
        } else {
            long before = System.nanoTime();
            do {
                client.operate();
                long after = System.nanoTime();
                nanos.recordValue(after - before);
                before = after;
            } while (before - end < 0 && !Thread.currentThread().isInterrupted());
        }
        return nanos;
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
