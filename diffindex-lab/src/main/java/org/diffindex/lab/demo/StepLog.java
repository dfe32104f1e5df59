package org.diffindex.lab.demo;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Logs the steps of the demo, one line each, with the seconds since the start. */
final class StepLog {
    private static final double NANOS_PER_SECOND = 1e9;

    private final PrintWriter err;
    private final LongSupplier nanos;
    private final long start;

    /** Creates a log to {@code err} that starts now, with a clock in nanoseconds. */
    StepLog(PrintWriter err, LongSupplier nanos) {
        this.err = err;
        this.nanos = nanos;
        this.start = nanos.getAsLong();
    }

    /** Logs a step. */
    void step(String text) {
        err.printf(Locale.ROOT, "[%5.1f s] %s%n", seconds(), text);
        err.flush();
    }

    /** Returns the seconds since the start. */
    double seconds() {
        return (nanos.getAsLong() - start) / NANOS_PER_SECOND;
    }
}
