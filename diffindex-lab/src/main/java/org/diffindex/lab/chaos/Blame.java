package org.diffindex.lab.chaos;

import java.io.IOException;
import java.util.List;

/** Tells the failures that no fault of the cluster explains: Diff-Index is at fault, and says so or should not have said it. */
final class Blame {
    private static final String REFUSED = "Write refused, nothing was written";
    private static final List<String> OURS = List.of("Diff-Index failed unexpectedly", REFUSED);

    private Blame() {}

    /** Whether the failure of a call with which nothing was wrong is one of these. */
    static boolean isOurs(Throwable failure) {
        return !(failure instanceof IOException)
                || Outcome.find(failure, cause -> OURS.stream().anyMatch(String.valueOf(cause.getMessage())::contains));
    }

    /** Whether a write was refused for what it holds. */
    static boolean isRefusal(Throwable failure) {
        return Outcome.find(failure, cause -> String.valueOf(cause.getMessage()).contains(REFUSED));
    }
}
