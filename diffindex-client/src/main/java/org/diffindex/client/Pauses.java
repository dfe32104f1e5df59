package org.diffindex.client;

import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/** Pauses between two looks at something that others do. */
final class Pauses {
    private Pauses() {}

    /**
     * Sleeps.
     *
     * @param message that of the exception
     * @throws InterruptedIOException if the thread is interrupted; its interrupt flag is set again
     */
    static void sleep(long ms, String message) throws InterruptedIOException {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException) new InterruptedIOException(message).initCause(e);
        }
    }
}
