package org.diffindex.lab.chaos;

/**
 * A server that aborted.
 *
 * @param process its process
 * @param time when, according to its log
 * @param reason the reason in its log
 * @param explanation the fault that explains it; empty if none does
 */
record Abort(String process, String time, String reason, String explanation) {
    /** Whether no fault explains it, so that Diff-Index is to blame. */
    boolean isOurs() {
        return explanation.isEmpty();
    }

    @Override
    public String toString() {
        return "%s at %s: %s [%s]".formatted(process, time, reason, isOurs() ? "NOT EXPLAINED" : explanation);
    }
}
