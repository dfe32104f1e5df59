package org.diffindex.lab.chaos;

/**
 * A fault that was applied, or that could not be applied; or a repair between faults.
 *
 * @param kind its kind; {@link #FOUND_DOWN} for a repair between faults
 * @param target what it hit
 * @param begin when it began, in nanoseconds of the run's clock
 * @param end when it ended, in nanoseconds of the run's clock
 * @param beginMillis when it began, in epoch milliseconds
 * @param endMillis when it ended, in epoch milliseconds
 * @param result the outcome
 * @param note details of the outcome
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
    /** The kind of an event that is no fault: the repair of what was found down after a fault. */
    static final String FOUND_DOWN = "found-down";

    /** The outcome of a fault. */
    enum Result {
        DONE,
        /** It had no target, the master refused a split or merge for now, or a server did not confirm a clock shift. */
        SKIPPED,
        /** It could not be applied, or could not be undone, which may happen after other faults. */
        FAILED
    }

    /** Returns whether it is a fault, rather than a repair. */
    boolean isFault() {
        return !kind.equals(FOUND_DOWN);
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
