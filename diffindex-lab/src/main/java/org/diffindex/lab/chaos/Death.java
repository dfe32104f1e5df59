package org.diffindex.lab.chaos;

/**
 * A process that was found ended though no fault of the plan had ended it.
 *
 * @param process its name
 * @param foundMillis when it was found, by the servers' clock
 * @param text what is known of its end
 */
record Death(String process, long foundMillis, String text) {
    /** Whether its log tells, after its last start, that it ended itself. Such an end is judged as an {@link Abort}. */
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
