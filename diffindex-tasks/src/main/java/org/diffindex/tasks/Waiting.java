package org.diffindex.tasks;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;

/** Waits; the seam to the clock. */
@FunctionalInterface
public interface Waiting {
    void sleep(Duration time) throws InterruptedException;

    /**
     * Waits.
     *
     * @throws InterruptedIOException if the thread is interrupted; its interrupt flag is set again
     */
    default void pause(Duration time) throws IOException {
        try {
            sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted while waiting").initCause(e);
        }
    }
}
