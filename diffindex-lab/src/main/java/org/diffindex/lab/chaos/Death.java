package org.diffindex.lab.chaos;

import java.util.ArrayList;
import java.util.List;

/**
 * A process that ended although no fault had ended it, or that hung while it was started or stopped, and was killed.
 *
 * @param process the name of the process
 * @param foundMillis when its end was noticed, in epoch milliseconds
 * @param text what is known about its end
 */
record Death(String process, long foundMillis, String text) {
    /**
     * Returns the deaths of a process that its log does not explain by an abort, which is judged as an {@link Abort}. An
     * abort explains the first death that was noticed after it, if the process was not started in between.
     *
     * @param deaths the deaths of the process, in the order in which they were noticed
     */
    static List<Death> notToldBy(ServerLog log, List<Death> deaths) {
        List<Death> untold = new ArrayList<>();
        long previous = Long.MIN_VALUE;
        for (Death death : deaths) {
            if (!death.isToldBy(log, previous)) {
                untold.add(death);
            }
            previous = death.foundMillis;
        }
        return untold;
    }

    private boolean isToldBy(ServerLog log, long previous) {
        long started = log.starts().stream()
                .mapToLong(ServerLog.Entry::millis)
                .filter(millis -> millis <= foundMillis)
                .max()
                .orElse(0);
        return log.aborts().stream()
                .mapToLong(ServerLog.Entry::millis)
                .anyMatch(millis -> millis > previous && millis >= started && millis <= foundMillis);
    }
}
