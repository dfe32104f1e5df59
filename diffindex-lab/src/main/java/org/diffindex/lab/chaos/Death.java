package org.diffindex.lab.chaos;

/**
 * A process that ended although no fault had ended it, or that hung while it was started or stopped, and was killed.
 *
 * @param process the name of the process
 * @param foundMillis when its end was noticed, in epoch milliseconds
 * @param text what is known about its end
 */
record Death(String process, long foundMillis, String text) {
    /**
     * Returns whether the log reports, after the last start, that the process aborted; that end is judged as an {@link
     * Abort}.
     */
    boolean isToldBy(ServerLog log) {
        long started = log.starts().stream()
                .mapToLong(ServerLog.Entry::millis)
                .filter(millis -> millis <= foundMillis)
                .max()
                .orElse(0);
        return log.aborts().stream()
                .mapToLong(ServerLog.Entry::millis)
                .anyMatch(millis -> millis >= started && millis <= foundMillis);
    }
}
