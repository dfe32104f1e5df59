package org.diffindex.lab.chaos;

import java.util.Locale;

/** Formats times of a run as seconds since its start. */
final class RunTime {
    private static final double NANOS_PER_SECOND = 1e9;

    private RunTime() {}

    static String text(long nanos) {
        return String.format(Locale.ROOT, "%.3fs", nanos / NANOS_PER_SECOND);
    }
}
