package org.diffindex.lab.demo;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Says which step the demo has come to: lines with the seconds since the start. */
final class StepLog {
    private static final double NANOS_PER_SECOND = 1e9;

    private final PrintWriter err;
    private final LongSupplier nanos;
    private final long start;

    /** Writes to {@code err}, by a clock of nanoseconds. */
    StepLog(PrintWriter err, LongSupplier nanos) {
        this.err = err;
        this.nanos = nanos;
        this.start = nanos.getAsLong();
    }

    /** Writes a line. */
    void step(String text) {
        err.printf(Locale.ROOT, "[%5.1f s] %s%n", seconds(), text);
        err.flush();
    }

    /** The seconds since the start. */
    double seconds() {
        return (nanos.getAsLong() - start) / NANOS_PER_SECOND;
    }
}
