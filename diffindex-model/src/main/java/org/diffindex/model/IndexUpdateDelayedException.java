package org.diffindex.model;

import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * Signals a write to a synchronously indexed table whose base row is durable while its index updates are not yet. They
 * are queued and will follow; until then a reader by index may see the old state. Writing again is not needed.
 *
 * <p>A single write fails with this type, and so does an atomic one of one or several rows. In a batch of which each write
 * has its own outcome, HBase has no way to carry a type of ours: a client finds a plain {@link DoNotRetryIOException} for
 * each such row, which {@link #isReportedBy} recognizes.
 */
public class IndexUpdateDelayedException extends DoNotRetryIOException {
    /** What the message of each begins with, also where HBase has replaced the type. */
    public static final String DESCRIPTION = "Index update failed; the base row is durable and the index will follow";

    private static final long serialVersionUID = 1L;

    public IndexUpdateDelayedException(String message) {
        super(message);
    }

    public IndexUpdateDelayedException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * Whether a failure of one write says that its row is durable and its index updates will follow. For a batch, ask for the
     * failure of each row, as {@code RetriesExhaustedWithDetailsException.getCause(int)} or the array of {@code Table.batch}
     * gives it.
     */
    public static boolean isReportedBy(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            boolean says = cause.getMessage() != null && cause.getMessage().contains(DESCRIPTION);
            if (cause instanceof IndexUpdateDelayedException || (cause instanceof DoNotRetryIOException && says)) {
                return true;
            }
        }
        return false;
    }
}
