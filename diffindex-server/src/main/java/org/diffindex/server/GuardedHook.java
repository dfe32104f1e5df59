package org.diffindex.server;

import java.io.IOException;
import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * Runs the bodies of the master's hooks: a RuntimeException or LinkageError, or the StackOverflowError of a value that is nested
 * too deeply, becomes a DoNotRetryIOException, since HBase aborts the master after anything other than an IOException.
 */
final class GuardedHook {
    private GuardedHook() {}

    /** The body of a hook. */
    @FunctionalInterface
    interface Body<T> {
        T run() throws IOException;
    }

    static <T> T run(Body<T> body) throws IOException {
        try {
            return body.run();
        } catch (RuntimeException | StackOverflowError e) {
            throw new DoNotRetryIOException("Diff-Index failed unexpectedly, nothing was changed: " + e, e);
        } catch (LinkageError e) {
            throw new DoNotRetryIOException(
                    "The master could not load a class that Diff-Index needs, nothing was changed: " + e
                            + "; give every master the same version of Diff-Index and the classes of the indexes'"
                            + " columns, restart the masters, and try again",
                    e);
        }
    }

    /** Runs the body of a hook that declares no exception. */
    static void runDeclaringNothing(Body<Void> body) {
        try {
            run(body);
        } catch (IOException e) {
            throw undeclared(e);
        }
    }

    /**
     * Throws an exception that the hook does not declare. HBase passes an IOException from any hook to the client,
     * whether declared or not; after any other exception it aborts the master.
     */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> RuntimeException undeclared(Exception refusal) throws E {
        throw (E) refusal;
    }
}
