package org.diffindex.tasks;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.client.OperationTimeoutExceededException;
import org.apache.hadoop.hbase.exceptions.MasterStoppedException;
import org.apache.hadoop.hbase.exceptions.UnknownProtocolException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retries a call while its failure may pass: a region that moves, splits or is recovered, a server or master that
 * restarts, a table that is unavailable. HBase's client has retried for a while by then. Safe for use by many threads.
 */
public final class Retries {
    private static final Logger LOG = LoggerFactory.getLogger(Retries.class);
    private static final long FIRST_PAUSE_MS = 500;
    private static final long LONGEST_PAUSE_MS = 10_000;

    private final long retryMs;
    private final Check worthwhile;
    private final Consumer<String> failing;
    private final LongSupplier nanoTime;
    private final Pause pause;

    /** A call. */
    @FunctionalInterface
    public interface Call<R> {
        R make() throws IOException;
    }

    /** Decides whether a further attempt makes sense. */
    @FunctionalInterface
    public interface Check {
        /**
         * Returns if the work is to continue.
         *
         * @throws DoNotRetryIOException if it is not to continue
         * @throws IOException if this could not be determined
         */
        void run() throws IOException;
    }

    /** The backoff between two attempts. */
    @FunctionalInterface
    public interface Pause {
        void millis(long millis) throws InterruptedException;
    }

    /**
     * Creates a policy.
     *
     * @param retryMs the milliseconds for which one call may fail
     * @param worthwhile called before each further attempt
     */
    public Retries(long retryMs, Check worthwhile) {
        this(retryMs, worthwhile, message -> {});
    }

    /**
     * Creates a policy.
     *
     * @param retryMs the milliseconds for which one call may fail
     * @param worthwhile called before each further attempt
     * @param failing receives the message of each failure that is retried
     */
    public Retries(long retryMs, Check worthwhile, Consumer<String> failing) {
        this(retryMs, worthwhile, failing, System::nanoTime, TimeUnit.MILLISECONDS::sleep);
    }

    Retries(long retryMs, Check worthwhile, Consumer<String> failing, LongSupplier nanoTime, Pause pause) {
        this.retryMs = retryMs;
        this.worthwhile = worthwhile;
        this.failing = failing;
        this.nanoTime = nanoTime;
        this.pause = pause;
    }

    /**
     * Repeats a call until it succeeds, with a backoff from 500 ms to 10 s.
     *
     * @throws IOException the last failure, if it cannot pass or the call has failed for too long
     */
    public <R> R get(Call<R> call) throws IOException {
        long start = nanoTime.getAsLong();
        long next = FIRST_PAUSE_MS;
        while (true) {
            try {
                return call.make();
            } catch (IOException e) {
                long failingMs = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - start);
                if (!isRetried(e) || failingMs > retryMs - next) {
                    throw e;
                }
                failing.accept(Messages.of(e));
                LOG.warn("A call failed and is retried in {} ms: {}", next, Messages.of(e));
                await(next);
                checkWorthwhile();
                next = Math.min(2 * next, LONGEST_PAUSE_MS);
            }
        }
    }

    /** Ends the retries if they cannot succeed. A master that does not answer now decides nothing. */
    private void checkWorthwhile() throws IOException {
        try {
            worthwhile.run();
        } catch (IOException e) {
            if (!isRetried(e)) {
                throw e;
            }
            LOG.debug("The table's descriptor cannot be read now", e);
        }
    }

    private void await(long millis) throws InterruptedIOException {
        try {
            pause.millis(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException) new InterruptedIOException("Interrupted").initCause(e);
        }
    }

    private static boolean isRetried(IOException failure) {
        return !isFinal(failure) && !isInterrupt(failure);
    }

    /** Returns whether a call failed because its thread was interrupted, which HBase's client may have cleared since. */
    public static boolean isInterrupt(Throwable failure) {
        return isOfInterrupt(failure) || isOfInterrupt(failure.getCause());
    }

    private static boolean isOfInterrupt(Throwable failure) {
        return failure instanceof InterruptedIOException && !(failure instanceof SocketTimeoutException);
    }

    /** Returns whether a retry of a call cannot succeed. */
    static boolean isFinal(Throwable failure) {
        return failure instanceof DoNotRetryIOException && !mayPass(failure);
    }

    /**
     * Returns whether a failure which HBase's client does not retry may pass nevertheless: the region has not been opened
     * with the table's indexes yet, and therefore knows none, the table is disabled, the master is stopping, or only the time of
     * this one call was too short to wait for a server.
     */
    private static boolean mayPass(Throwable failure) {
        return failure instanceof UnknownProtocolException
                || failure instanceof TableNotEnabledException
                || failure instanceof MasterStoppedException
                || failure instanceof OperationTimeoutExceededException;
    }
}
