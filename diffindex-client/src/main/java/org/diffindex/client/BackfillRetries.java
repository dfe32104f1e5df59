package org.diffindex.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.exceptions.UnknownProtocolException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retries a call of a backfill while its failure may pass: a region that moves, splits or is recovered, a server or
 * master that restarts, an index table that is unavailable. HBase's client has retried for a while by then. Safe for
 * use by many threads.
 */
final class BackfillRetries {
    /** The configuration key for the milliseconds for which one call of a backfill may fail; 10 minutes by default. */
    static final String RETRY_MS_KEY = "diffindex.client.fill.retry.ms";

    private static final Logger LOG = LoggerFactory.getLogger(BackfillRetries.class);
    private static final long FIRST_PAUSE_MS = 500;
    private static final long LONGEST_PAUSE_MS = 10_000;

    private final long retryMs;
    private final Check worthwhile;
    private final LongSupplier nanoTime;
    private final Pause pause;

    /** A call to a region. */
    @FunctionalInterface
    interface Call<R> {
        R make() throws IOException;
    }

    /** Decides whether a further attempt makes sense. */
    @FunctionalInterface
    interface Check {
        /**
         * Returns if the backfill is to continue.
         *
         * @throws DoNotRetryIOException if it is not to continue
         * @throws IOException if this could not be determined
         */
        void run() throws IOException;
    }

    /** The backoff between two attempts. */
    @FunctionalInterface
    interface Pause {
        void millis(long millis) throws InterruptedException;
    }

    /**
     * Creates a policy from a configuration.
     *
     * @param worthwhile called before each further attempt
     */
    BackfillRetries(Configuration configuration, Check worthwhile) {
        this(configuration, worthwhile, System::nanoTime, TimeUnit.MILLISECONDS::sleep);
    }

    BackfillRetries(Configuration configuration, Check worthwhile, LongSupplier nanoTime, Pause pause) {
        this.retryMs = configuration.getLong(RETRY_MS_KEY, TimeUnit.MINUTES.toMillis(10));
        this.worthwhile = worthwhile;
        this.nanoTime = nanoTime;
        this.pause = pause;
    }

    /**
     * Repeats a call until it succeeds, with a backoff from 500 ms to 10 s.
     *
     * @throws IOException the last failure, if it cannot pass or the call has failed for too long
     */
    <R> R get(Call<R> call) throws IOException {
        long start = nanoTime.getAsLong();
        long next = FIRST_PAUSE_MS;
        while (true) {
            try {
                return call.make();
            } catch (IOException e) {
                long failing = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - start);
                if (!mayPass(e) || failing + next > retryMs) {
                    throw e;
                }
                LOG.warn("A call of a backfill failed and is retried in {} ms: {}", next, e.getMessage());
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
            if (!mayPass(e)) {
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

    private static boolean mayPass(IOException failure) {
        return !(failure instanceof DoNotRetryIOException) && !isInterrupt(failure) && !isInterrupt(failure.getCause());
    }

    private static boolean isInterrupt(Throwable failure) {
        return failure instanceof InterruptedIOException && !(failure instanceof SocketTimeoutException);
    }

    /**
     * Returns whether the answer came from a region that has not been opened with the table's indexes yet, and
     * therefore knows none.
     */
    static boolean isOfUnopenedRegion(Throwable failure) {
        return failure instanceof UnknownProtocolException;
    }
}
