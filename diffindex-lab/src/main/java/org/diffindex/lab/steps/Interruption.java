package org.diffindex.lab.steps;

import java.io.IOException;

/** Turns the interruption of a wait into an I/O failure, which ends the run. */
public final class Interruption {
    private Interruption() {}

    /** Sets the thread's interrupt flag again, and returns the exception to throw. */
    public static IOException of(InterruptedException cause) {
        return of("The run was interrupted", cause);
    }

    /** Does the same as {@link #of(InterruptedException)}, with a message that names what was interrupted. */
    public static IOException of(String message, InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new IOException(message, cause);
    }
}
