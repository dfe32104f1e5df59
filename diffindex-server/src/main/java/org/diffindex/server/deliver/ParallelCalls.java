package org.diffindex.server.deliver;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.util.ExceptionUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls of one write, made in parallel on a bounded number of threads, of which the writer's is one. If there are more
 * calls than threads, the later ones follow when earlier ones have ended. Calls that begin late in the write take what is
 * left of its time, so that the whole takes hardly longer than one call may: a {@linkplain #SHARE_OF_EARLY_CALLS tenth}
 * more at most. For one use.
 *
 * @param <C> the type of the calls
 */
final class ParallelCalls<C> {
    private static final Logger LOG = LoggerFactory.getLogger(ParallelCalls.class);

    /** Makes a call. */
    @FunctionalInterface
    interface Maker<C> {
        /**
         * Makes a call.
         *
         * @param limitMs how long it may take, in milliseconds; 0 for as long as the connection lets a call take
         */
        void make(C call, int limitMs) throws IOException;
    }

    /**
     * The limits of a server's writes.
     *
     * @param threads the maximum number of threads for each write
     * @param timeoutMs how long a call may take, in milliseconds, according to the connection
     * @param nanoTime elapsed time in nanoseconds
     */
    record Limits(int threads, int timeoutMs, LongSupplier nanoTime) {}

    /** The share of a write's time until which a call may take the whole time. Few writes take longer. */
    private static final double SHARE_OF_EARLY_CALLS = 0.1;

    private final List<C> calls;
    private final Maker<C> maker;
    private final Limits limits;
    private final long begin;

    /** The index of the next call that no thread has taken; the first call is the writer's. */
    private final AtomicInteger next = new AtomicInteger(1);

    /** The exception of each call that failed. Written by the thread that makes the call, before its task ends. */
    private final Exception[] failures;

    /**
     * Creates an object for some of the calls of a write.
     *
     * @param begin when the write began, in nanoseconds
     */
    ParallelCalls(List<C> calls, Maker<C> maker, Limits limits, long begin) {
        this.calls = calls;
        this.maker = maker;
        this.limits = limits;
        this.begin = begin;
        this.failures = new Exception[calls.size()];
    }

    /**
     * Makes all calls, the first of them on this thread, and waits for them, even if one fails.
     *
     * @param pool runs the other threads
     * @param failed receives the failures, in the order of the calls
     * @throws InterruptedIOException if this thread is interrupted; other calls may still be in flight, and further ones
     *     are not begun
     */
    void makeAll(ExecutorService pool, BiConsumer<C, Exception> failed) throws InterruptedIOException {
        List<Future<?>> others = start(pool);
        try {
            for (int i = 0; i < calls.size(); i = next.getAndIncrement()) {
                makeHere(i);
            }
            for (Future<?> other : others) {
                await(other);
            }
        } finally {
            next.set(calls.size());
        }
        for (int i = 0; i < failures.length; i++) {
            if (failures[i] != null) {
                failed.accept(calls.get(i), failures[i]);
            }
        }
    }

    /** Starts the other threads; fewer, if the pool rejects them or none can be created. */
    private List<Future<?>> start(ExecutorService pool) {
        List<Future<?>> started = new ArrayList<>();
        try {
            for (int i = 1; i < Math.min(calls.size(), limits.threads()); i++) {
                started.add(pool.submit(this::makeNext));
            }
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            LOG.warn("The calls of a write have {} threads of their own instead of more", started.size(), e);
        }
        return started;
    }

    private void makeHere(int i) throws InterruptedIOException {
        try {
            make(i);
        } catch (IOException | RuntimeException e) {
            ExceptionUtil.rethrowIfInterrupt(e);
            failures[i] = e;
        }
    }

    /** Makes calls until none is left. Not even an Error ends the thread, since the other calls must be made. */
    private void makeNext() {
        for (int i = next.getAndIncrement(); i < calls.size(); i = next.getAndIncrement()) {
            try {
                make(i);
            } catch (Throwable e) {
                failures[i] = new IOException(e);
            }
        }
    }

    private void make(int i) throws IOException {
        long passed = TimeUnit.NANOSECONDS.toMillis(limits.nanoTime().getAsLong() - begin);
        boolean isEarly = i < limits.threads() && passed <= limits.timeoutMs() * SHARE_OF_EARLY_CALLS;
        maker.make(calls.get(i), isEarly ? 0 : leftAfter(passed));
    }

    /** Returns what is left of the write's time, in milliseconds. */
    private int leftAfter(long passedMs) throws IOException {
        if (passedMs >= limits.timeoutMs()) {
            throw new IOException("Not sent: earlier calls of the write took " + passedMs
                    + " ms; the limit for all together is " + limits.timeoutMs() + " ms");
        }
        return (int) (limits.timeoutMs() - passedMs);
    }

    private static void await(Future<?> other) throws InterruptedIOException {
        try {
            other.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("A thread that makes calls has died", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException)
                    new InterruptedIOException("Interrupted while writing index updates").initCause(e);
        }
    }
}
