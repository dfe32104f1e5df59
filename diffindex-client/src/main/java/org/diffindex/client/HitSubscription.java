package org.diffindex.client;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The hits of one read, for one subscriber, as it requests them. The read begins with the first request, and is at most one
 * hit, and the rest of its page, ahead of what was requested; so it also knows of its end without another request.
 *
 * <p>Safe for use by many threads. The read and the calls of the subscriber run on an executor, one after the other.
 */
final class HitSubscription implements Flow.Subscription {
    private final Executor executor;
    private final AsyncRead.Opening opening;
    private final Flow.Subscriber<? super IndexHit> subscriber;

    /** How many hits were requested and not delivered. */
    private final AtomicLong requested = new AtomicLong();

    /** How often {@link #signal} was called since the last run began; a run is scheduled, or runs, unless it is 0. */
    private final AtomicInteger signals = new AtomicInteger();

    private volatile boolean isCancelled;
    private volatile IllegalArgumentException illegalRequest;

    /** Null until the first request. Used by the run alone, like all that follows. */
    private IndexScanner scanner;

    /** The hit to be delivered next; null if it is to be read. */
    private IndexHit ahead;

    /** What the read waits for, or has waited for; null if it has not waited yet. */
    private AwaitedAnswer awaited;

    private boolean isOver;

    HitSubscription(Executor executor, AsyncRead.Opening opening, Flow.Subscriber<? super IndexHit> subscriber) {
        this.executor = executor;
        this.opening = opening;
        this.subscriber = subscriber;
    }

    @Override
    public void request(long hits) {
        if (hits > 0) {
            requested.accumulateAndGet(
                    hits, (before, more) -> before > Long.MAX_VALUE - more ? Long.MAX_VALUE : before + more);
        } else {
            illegalRequest = new IllegalArgumentException(
                    "A subscriber requested " + hits + " hits; the read has ended; request at least 1");
        }
        signal();
    }

    @Override
    public void cancel() {
        isCancelled = true;
        signal();
    }

    /** Makes the read go on if it can. */
    private void signal() {
        if (signals.getAndIncrement() == 0) {
            try {
                executor.execute(this::run);
            } catch (RejectedExecutionException e) {
                end(e); // nothing else runs: no later signal finds 0
            }
        }
    }

    private void run() {
        int seen = signals.get();
        while (seen != 0) {
            goOn();
            seen = signals.addAndGet(-seen);
        }
    }

    private void goOn() {
        if (isOver || (awaited != null && !awaited.isThere() && !isCancelled && illegalRequest == null)) {
            return;
        }
        boolean isComplete = false;
        try {
            if (isCancelled) {
                close();
            } else if (illegalRequest != null) {
                end(illegalRequest);
            } else {
                isComplete = deliver();
            }
        } catch (AwaitedAnswer e) {
            awaited = e;
            e.whenThere(this::signal);
        } catch (IOException | RuntimeException | Error e) {
            end(e);
        }
        if (isComplete) {
            subscriber.onComplete();
        }
    }

    /** Delivers hits as they are requested; returns whether there are no more. */
    private boolean deliver() throws IOException {
        if (scanner == null && requested.get() > 0) {
            scanner = opening.open();
        }
        while (scanner != null && !isCancelled && illegalRequest == null) {
            if (ahead == null) {
                ahead = scanner.next();
            }
            if (ahead == null) {
                close();
                return true;
            }
            if (requested.get() == 0) {
                return false;
            }
            IndexHit hit = ahead;
            ahead = null;
            requested.updateAndGet(before -> before == Long.MAX_VALUE ? before : before - 1);
            subscriber.onNext(hit);
        }
        return false;
    }

    /** Ends the read with an error, unless it is over or cancelled. */
    private void end(Throwable error) {
        if (isOver) {
            return;
        }
        try {
            close();
        } catch (IOException e) {
            error.addSuppressed(e);
        }
        if (!isCancelled) {
            subscriber.onError(error);
        }
    }

    private void close() throws IOException {
        isOver = true;
        ahead = null;
        if (scanner != null) {
            scanner.close();
            scanner = null;
        }
    }
}
