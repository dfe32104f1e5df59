package org.diffindex.lab.chaos;

/**
 * A fault that was, or was not, applied.
 *
 * @param kind its kind; for what was found and mended in between, what it was
 * @param target what it hit
 * @param begin when, in nanoseconds of the run's clock
 * @param end when it was over
 * @param beginMillis when by the servers' clock
 * @param endMillis when it was over by the servers' clock
 * @param result what came of it
 * @param note more of that, in words
 */
record FaultEvent(
        String kind,
        String target,
        long begin,
        long end,
        long beginMillis,
        long endMillis,
        Result result,
        String note) {
    /** What came of a fault. */
    enum Result {
        DONE,
        /** There was nothing to apply it to. */
        SKIPPED,
        /** HBase did not do what was asked, as may happen in a fault's wake. */
        FAILED
    }

    @Override
    public String toString() {
        return "%s..%s %s %s%s%s"
                .formatted(
                        RunTime.text(begin),
                        RunTime.text(end),
                        kind,
                        target,
                        result == Result.DONE ? "" : " " + result,
                        note.isEmpty() ? "" : " (" + note + ")");
    }
}
