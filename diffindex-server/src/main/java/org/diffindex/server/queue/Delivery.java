package org.diffindex.server.queue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.deliver.IndexUpdate;

/** The part of a batch for one index. A thread of its own sends it, so the caller need not wait for the call to end. */
final class Delivery {
    /** The updates of one item for the index. */
    record Part(QueuedChange item, List<IndexUpdate> updates) {}

    private final LongSupplier nanoClock;
    private final List<Part> parts = new ArrayList<>();

    /** Null until started, or if the call was rejected. */
    private Future<?> call;

    /** Null while the call is in flight; then the exception, or empty if the call succeeded. Guarded by this. */
    private Optional<Exception> outcome;

    /** When the call ended; meaningless while it is in flight. Guarded by this. */
    private long endNanos;

    /** Receives the outcome of the call. Guarded by this. */
    private Consumer<Optional<Exception>> atEnd = failure -> {};

    /**
     * Creates an empty delivery.
     *
     * @param nanoClock elapsed time in nanoseconds
     */
    Delivery(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    void add(QueuedChange item, List<IndexUpdate> updates) {
        parts.add(new Part(item, updates));
    }

    List<Part> parts() {
        return parts;
    }

    List<IndexUpdate> updates() {
        return parts.stream().flatMap(part -> part.updates().stream()).toList();
    }

    /**
     * Sends the updates on one of the given threads. If these reject the call, or none can be created, the delivery
     * fails.
     */
    void start(IndexSink sink, ExecutorService threads) {
        try {
            call = threads.submit(() -> {
                send(sink);
                return null;
            });
        } catch (RejectedExecutionException e) {
            end(Optional.of(e));
        } catch (OutOfMemoryError e) {
            end(Optional.of(threadDied(e)));
        }
    }

    private void send(IndexSink sink) {
        Optional<Exception> failure = Optional.empty();
        try {
            List<IndexUpdate> updates = updates();
            UpdateProcessor.send(sink, updates.get(0).table(), parts.stream().map(Part::item), updates);
        } catch (IOException | RuntimeException e) {
            failure = Optional.of(e);
        } catch (Error e) {
            failure = Optional.of(threadDied(e));
            throw e;
        } finally {
            end(failure);
        }
    }

    private static Exception threadDied(Error cause) {
        return new IllegalStateException("The thread of the call has died", cause);
    }

    private void end(Optional<Exception> failure) {
        Consumer<Optional<Exception>> next;
        synchronized (this) {
            outcome = failure;
            endNanos = nanoClock.getAsLong();
            next = atEnd;
        }
        next.accept(failure);
    }

    /**
     * Waits until the call ends, the time is up, or the thread is interrupted (its interrupt status is kept). Returns
     * whether all updates are durable. If they are not, the index may have some of them, however the call ended.
     */
    boolean isDeliveredWithin(long nanos) {
        try {
            if (call != null) {
                call.get(nanos, TimeUnit.NANOSECONDS);
            }
        } catch (TimeoutException | ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return outcome().filter(Optional::isEmpty).isPresent();
    }

    /** Returns when the call ended, which it must have. */
    synchronized long endNanos() {
        return endNanos;
    }

    private synchronized Optional<Optional<Exception>> outcome() {
        return Optional.ofNullable(outcome);
    }

    /**
     * Hands the outcome of the call over to a consumer: at once in this thread if the call has ended, else at its end
     * in the thread of the call.
     */
    void leaveTo(Consumer<Optional<Exception>> next) {
        Optional<Exception> ended;
        synchronized (this) {
            ended = outcome;
            atEnd = next;
        }
        if (ended != null) {
            next.accept(ended);
        }
    }
}
