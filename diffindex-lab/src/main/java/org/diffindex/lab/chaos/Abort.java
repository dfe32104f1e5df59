package org.diffindex.lab.chaos;

/**
 * A server that aborted.
 *
 * @param process the name of its process
 * @param time when it aborted, as its log shows it
 * @param reason the reason in its log
 * @param explanation what explains the abort, a fault or a pause of the machine; empty if nothing does
 */
record Abort(String process, String time, String reason, String explanation) {
    /** Returns whether nothing explains the abort, so that Diff-Index may have caused it. */
    boolean isOurs() {
        return explanation.isEmpty();
    }

    @Override
    public String toString() {
        return "%s at %s: %s [%s]".formatted(process, time, reason, isOurs() ? "NOT EXPLAINED" : explanation);
    }
}
