package org.diffindex.lab.chaos;

import java.io.IOException;
import java.util.List;

/**
 * Recognizes failures that no fault of the cluster explains: internal errors of Diff-Index, and refusals of valid
 * writes.
 */
final class Blame {
    private static final String REFUSED = "Write refused, nothing was written";
    private static final List<String> OURS = List.of("Diff-Index failed unexpectedly", REFUSED);

    private Blame() {}

    /**
     * Returns whether the failure of a valid call is one of these; any failure that is not an {@link IOException} is.
     */
    static boolean isOurs(Throwable failure) {
        return !(failure instanceof IOException)
                || Outcome.find(failure, cause -> OURS.stream().anyMatch(String.valueOf(cause.getMessage())::contains));
    }

    /** Returns whether a write was refused because of its content. */
    static boolean isRefusal(Throwable failure) {
        return Outcome.find(failure, cause -> String.valueOf(cause.getMessage()).contains(REFUSED));
    }
}
