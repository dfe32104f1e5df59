package org.diffindex.server.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Waits for conditions that other threads bring about. */
public final class Waiting {
    private static final long PATIENCE_S = 30;

    private Waiting() {}

    /** Returns when the condition holds; fails if it does not within 30 seconds. */
    public static void until(String what, Callable<Boolean> condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        try {
            while (!condition.call()) {
                assertThat(System.nanoTime())
                        .as("waited in vain until %s", what)
                        .isLessThan(end);
                TimeUnit.MILLISECONDS.sleep(5);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("Interrupted while waiting until " + what, e);
        } catch (Exception e) {
            throw new AssertionError("Could not tell whether " + what, e);
        }
    }
}
