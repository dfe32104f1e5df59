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
 * Tries a call of a fill again while its failure may pass: a region that moves, splits or is recovered, a server or master
 * that restarts, an index table that is away. HBase's client has tried for a while by then. Safe for use by many threads.
 */
final class FillPatience {
    /** The configuration key for the milliseconds for which one call of a fill may fail; 10 minutes unless set. */
    static final String RETRY_MS_KEY = "diffindex.client.fill.retry.ms";

    private static final Logger LOG = LoggerFactory.getLogger(FillPatience.class);
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

    /** Decides whether to go on. */
    @FunctionalInterface
    interface Check {
        /**
         * Returns if the fill is to go on.
         *
         * @throws DoNotRetryIOException if not
         * @throws IOException if that could not be found out
         */
        void run() throws IOException;
    }

    /** Lets time pass between two tries. */
    @FunctionalInterface
    interface Pause {
        void millis(long millis) throws InterruptedException;
    }

    /**
     * As patient as configured.
     *
     * @param worthwhile asked before each further try
     */
    FillPatience(Configuration configuration, Check worthwhile) {
        this(configuration, worthwhile, System::nanoTime, TimeUnit.MILLISECONDS::sleep);
    }

    FillPatience(Configuration configuration, Check worthwhile, LongSupplier nanoTime, Pause pause) {
        this.retryMs = configuration.getLong(RETRY_MS_KEY, TimeUnit.MINUTES.toMillis(10));
        this.worthwhile = worthwhile;
        this.nanoTime = nanoTime;
        this.pause = pause;
    }

    /**
     * Makes a call until it succeeds.
     *
     * @throws IOException the last failure, if it cannot pass or calls have failed for too long
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
                LOG.warn("A page of a fill failed and is tried again in {} ms: {}", next, e.getMessage());
                await(next);
                checkWorthwhile();
                next = Math.min(2 * next, LONGEST_PAUSE_MS);
            }
        }
    }

    /** A master that does not answer now decides nothing. */
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

    /** Whether a region answered that has not been opened with the indexes of its table yet, and so knows none. */
    static boolean isOfUnopenedRegion(Throwable failure) {
        return failure instanceof UnknownProtocolException;
    }
}
