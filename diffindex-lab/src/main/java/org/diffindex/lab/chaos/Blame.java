package org.diffindex.lab.chaos;

import java.io.IOException;
import java.util.List;
import org.diffindex.client.NoSuchIndexException;
import org.diffindex.client.SessionFullException;
import org.diffindex.model.IndexNotLoadedException;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.IndexReplacedException;

/**
 * Recognizes failures that no fault of the cluster explains: internal errors of Diff-Index, refusals of valid writes,
 * and reports that an index is missing or not readable, because no fault drops or creates one, or that a session is
 * full, because none lasts long enough to be.
 */
final class Blame {
    private static final String REFUSED = "Write refused, nothing was written";
    private static final List<String> OURS = List.of("Diff-Index failed unexpectedly", REFUSED);
    private static final List<Class<? extends IOException>> OF_NO_FAULT = List.of(
            NoSuchIndexException.class,
            IndexReplacedException.class,
            IndexNotReadableException.class,
            IndexNotLoadedException.class,
            SessionFullException.class);

    private Blame() {}

    /**
     * Returns whether the failure of a valid call is one of these; any failure that is not an {@link IOException} is.
     */
    static boolean isOurs(Throwable failure) {
        return !(failure instanceof IOException) || Outcome.find(failure, Blame::blamesUs);
    }

    private static boolean blamesUs(Throwable cause) {
        return OURS.stream().anyMatch(String.valueOf(cause.getMessage())::contains)
                || OF_NO_FAULT.stream().anyMatch(type -> type.isInstance(cause));
    }

    /** Returns whether a write was refused because of its content. */
    static boolean isRefusal(Throwable failure) {
        return Outcome.find(failure, cause -> String.valueOf(cause.getMessage()).contains(REFUSED));
    }
}
