package org.diffindex.verify;

import java.time.Duration;

/** Waits; the seam to the clock. */
@FunctionalInterface
interface Waiting {
    void sleep(Duration time) throws InterruptedException;
}
