package org.diffindex.client;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes calls that a reader, or a full session, can do without, and therefore waits for only briefly. HBase's client
 * gives a call to an endpoint the retries and the time of the connection, whatever those of the table, so such a call is
 * ended here.
 *
 * <p>All readers of the JVM share up to 64 threads; without one left, a call of a reader is not made. Each call of a
 * session has a thread, because a session has at most one, whose caller waits for it, and is owed the wait. A thread ends
 * after 5 s without a call.
 */
final class BriefCalls {
    private static final Logger LOG = LoggerFactory.getLogger(BriefCalls.class);

    private static final ExecutorService OF_READERS = threads("diffindex-brief-%d", 64);
    private static final ExecutorService OF_SESSIONS = threads("diffindex-session-%d", Integer.MAX_VALUE);

    private final ExecutorService threads;
    private final Duration patience;

    /** Creates calls of readers that may take that long. */
    BriefCalls(Duration patience) {
        this(OF_READERS, patience);
    }

    private BriefCalls(ExecutorService threads, Duration patience) {
        this.threads = threads;
        this.patience = patience;
    }

    /** Returns calls of sessions that may take that long. */
    static BriefCalls ofSessions(Duration patience) {
        return new BriefCalls(OF_SESSIONS, patience);
    }

    private static ExecutorService threads(String name, int most) {
        return new ThreadPoolExecutor(
                0,
                most,
                5,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                new ThreadFactoryBuilder().setNameFormat(name).setDaemon(true).build(),
                (call, threads) -> ((Future<?>) call).cancel(false));
    }

    /**
     * Makes calls at the same time; interrupts those that take too long.
     *
     * @param purpose what they are made for, as a participle, for messages
     * @return their answers, in the order of the calls; empty for each call that failed in any way, took too long or, if
     *     it is a reader's, was not made, because all threads were busy
     * @throws InterruptedIOException if the caller was interrupted; it still is, and so are the calls
     */
    <T> List<Optional<T>> answers(String purpose, Collection<? extends Callable<T>> calls)
            throws InterruptedIOException {
        try {
            List<Optional<T>> answers = new ArrayList<>(calls.size());
            for (Future<T> over : threads.invokeAll(calls, patience.toMillis(), TimeUnit.MILLISECONDS)) {
                answers.add(answer(purpose, over));
            }
            return answers;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException) new InterruptedIOException("Interrupted while " + purpose).initCause(e);
        }
    }

    private static <T> Optional<T> answer(String purpose, Future<T> over) throws InterruptedException {
        try {
            return Optional.of(over.get());
        } catch (ExecutionException | CancellationException e) {
            LOG.debug("A call got no answer while {}", purpose, e);
            return Optional.empty();
        }
    }
}
