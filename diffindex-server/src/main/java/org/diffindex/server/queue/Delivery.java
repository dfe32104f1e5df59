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
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.deliver.IndexUpdate;

/**
 * The part of a batch that goes to one index. It is sent on a thread of its own, so that the sender need not wait for its end.
 */
final class Delivery {
    /** What an item asks for in the index. */
    record Part(QueuedChange item, List<IndexUpdate> updates) {}

    private final List<Part> parts = new ArrayList<>();

    /** Null before the start. */
    private Future<?> call;

    /** Null while the call goes on; then what went wrong, or nothing. Guarded by this. */
    private Optional<Exception> outcome;

    /** What is to be done at the end, once nobody waits for it any more. Guarded by this. */
    private Consumer<Optional<Exception>> atEnd = failure -> {};

    void add(QueuedChange item, List<IndexUpdate> updates) {
        parts.add(new Part(item, updates));
    }

    List<Part> parts() {
        return parts;
    }

    List<IndexUpdate> updates() {
        return parts.stream().flatMap(part -> part.updates().stream()).toList();
    }

    /** Sends the updates on one of the threads. */
    void start(IndexSink sink, ExecutorService threads) {
        try {
            call = threads.submit(() -> {
                send(sink);
                return null;
            });
        } catch (RejectedExecutionException e) {
            end(Optional.of(e));
        }
    }

    private void send(IndexSink sink) {
        Optional<Exception> failure = Optional.of(new IllegalStateException("The thread of the call has died"));
        try {
            sink.write(updates());
            failure = Optional.empty();
        } catch (IOException | RuntimeException e) {
            failure = Optional.of(e);
        } finally {
            end(failure);
        }
    }

    private void end(Optional<Exception> failure) {
        Consumer<Optional<Exception>> next;
        synchronized (this) {
            outcome = failure;
            next = atEnd;
        }
        next.accept(failure);
    }

    /** Waits for the end of the call, for a time at most; returns whether all updates are durable. */
    boolean isDeliveredWithin(long nanos) {
        try {
            if (call != null) {
                call.get(nanos, TimeUnit.NANOSECONDS);
            }
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("A call to an index table ended its thread", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return outcome().filter(Optional::isEmpty).isPresent();
    }

    private synchronized Optional<Optional<Exception>> outcome() {
        return Optional.ofNullable(outcome);
    }

    /** Nobody waits for the end any more: then, or now if it has ended, this is done with what went wrong, or nothing. */
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
