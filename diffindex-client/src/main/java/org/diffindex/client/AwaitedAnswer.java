package org.diffindex.client;

import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;

/**
 * A step of a read cannot go on before a call is answered. The step has changed nothing that it does not find again: when the
 * answer is there, the same step is taken once more, from its beginning, and finds the answer. It has no stack trace.
 */
final class AwaitedAnswer extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient CompletableFuture<?> answer;

    AwaitedAnswer(CompletableFuture<?> answer) {
        super("A call is not answered yet");
        this.answer = answer;
    }

    /**
     * Returns an answer.
     *
     * @throws AwaitedAnswer if it is not there yet
     * @throws IOException if the call has failed
     */
    static <T> T of(CompletableFuture<T> answer) throws IOException {
        if (!answer.isDone()) {
            throw new AwaitedAnswer(answer);
        }
        try {
            return answer.join();
        } catch (CompletionException | CancellationException e) {
            throw failure(e);
        }
    }

    /**
     * Returns a failure of HBase's asynchronous client as its blocking client throws it: a refusal that forbids a retry by
     * itself, where the asynchronous client may wrap it as if it had been retried.
     */
    static IOException failure(Throwable failure) {
        Throwable actual = failure;
        while (actual instanceof CompletionException && actual.getCause() != null) {
            actual = actual.getCause();
        }
        if (actual instanceof RetriesExhaustedException && actual.getCause() instanceof DoNotRetryIOException refusal) {
            return refusal;
        }
        return actual instanceof IOException io ? io : new IOException(actual);
    }

    /** Runs an action when the answer is there, or the call has failed; at once, on this thread, if that is so already. */
    void whenThere(Runnable action) {
        var unused = answer.whenComplete((value, failure) -> action.run());
    }

    /** Returns whether the answer is there, or the call has failed. */
    boolean isThere() {
        return answer.isDone();
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
