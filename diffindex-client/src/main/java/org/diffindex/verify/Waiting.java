package org.diffindex.verify;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;

/** Waits; the seam to the clock. */
@FunctionalInterface
interface Waiting {
    void sleep(Duration time) throws InterruptedException;

    /**
     * Waits during a scrub.
     *
     * @throws InterruptedIOException if the thread is interrupted; its interrupt flag is set again
     */
    default void pause(Duration time) throws IOException {
        try {
            sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted while scrubbing").initCause(e);
        }
    }
}
