package org.diffindex.lab.chaos;

/**
 * A region server that ended itself.
 *
 * @param process its process
 * @param time when, as its log says
 * @param reason what its log says
 * @param explanation the fault that explains it; empty if none does
 */
record Abort(String process, String time, String reason, String explanation) {
    /** Whether no fault explains it. */
    boolean isOurs() {
        return explanation.isEmpty();
    }

    @Override
    public String toString() {
        return "%s at %s: %s [%s]".formatted(process, time, reason, isOurs() ? "NOT EXPLAINED" : explanation);
    }
}
