package org.diffindex.client;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * A read that holds no thread while it waits: its work runs on an executor until it needs an answer that is not there, and
 * again, from its beginning, when that is there. Its parts run one after the other.
 */
final class AsyncRead<T> {
    /** Opens a scanner whose calls do not block ({@link AwaitedAnswer}). */
    @FunctionalInterface
    interface Opening {
        IndexScanner open() throws IOException;
    }

    /** What a read does with its scanner. */
    @FunctionalInterface
    interface Work<T> {
        /**
         * Goes on with the read; returns its result.
         *
         * @throws AwaitedAnswer if it is to be called again when an answer is there
         */
        T goOn(IndexScanner scanner) throws IOException;
    }

    private final Executor executor;
    private final Opening opening;
    private final Work<T> work;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    /** Null until it is opened. */
    private IndexScanner scanner;

    private AsyncRead(Executor executor, Opening opening, Work<T> work) {
        this.executor = executor;
        this.opening = opening;
        this.work = work;
    }

    /** Starts a read; returns its result, which ends the read when it is cancelled. The scanner is closed in every case. */
    static <T> CompletableFuture<T> start(Executor executor, Opening opening, Work<T> work) {
        AsyncRead<T> read = new AsyncRead<>(executor, opening, work);
        read.schedule();
        return read.result;
    }

    private void schedule() {
        try {
            executor.execute(this::goOn);
        } catch (RejectedExecutionException e) {
            fail(e);
        }
    }

    private void goOn() {
        try {
            if (result.isDone()) { // it was cancelled
                close();
                return;
            }
            if (scanner == null) {
                scanner = opening.open();
            }
            T value = work.goOn(scanner);
            close();
            result.complete(value);
        } catch (AwaitedAnswer e) {
            e.whenThere(this::schedule);
        } catch (IOException | RuntimeException | Error e) {
            fail(e);
        }
    }

    private void fail(Throwable failure) {
        try {
            close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
        result.completeExceptionally(failure);
    }

    private void close() throws IOException {
        if (scanner != null) {
            scanner.close();
        }
    }
}
