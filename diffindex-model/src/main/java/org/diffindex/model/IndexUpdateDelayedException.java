package org.diffindex.model;

import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;

/**
 * Signals a write to a synchronously indexed table whose base row is durable but whose index updates are not yet. The
 * updates are queued and will be delivered; until then a read by index may return the old state. The write need not be
 * repeated.
 *
 * <p>A single write fails with this type, and so does an atomic write of one or several rows. In a batch in which each
 * write has its own outcome, HBase cannot carry this type: the client receives a plain {@link DoNotRetryIOException}
 * for each such row, which {@link #isReportedBy} recognizes.
 */
public class IndexUpdateDelayedException extends DoNotRetryIOException {
    /** The prefix of every message of this exception, preserved where HBase has replaced the type. */
    public static final String DESCRIPTION = "Index update failed; the base row is durable and the index will follow";

    private static final long serialVersionUID = 1L;

    public IndexUpdateDelayedException(String message) {
        super(message);
    }

    public IndexUpdateDelayedException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * Returns whether the failure of one write says that its row is durable and its index updates will be delivered;
     * examines the causes too. For a batch, pass the failure of each row, as given by {@code
     * RetriesExhaustedWithDetailsException.getCause(int)} or the result array of {@code Table.batch}. The failure of a
     * batch itself says so only if all failures that it lists do.
     */
    public static boolean isReportedBy(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            boolean says = cause.getMessage() != null && cause.getMessage().contains(DESCRIPTION);
            if (cause instanceof IndexUpdateDelayedException
                    || (cause instanceof DoNotRetryIOException && says)
                    || (cause instanceof RetriesExhaustedWithDetailsException batch && isReportedByAll(batch))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isReportedByAll(RetriesExhaustedWithDetailsException batch) {
        List<Throwable> failures = batch.getCauses();
        return failures != null
                && !failures.isEmpty()
                && failures.stream().allMatch(IndexUpdateDelayedException::isReportedBy);
    }
}
