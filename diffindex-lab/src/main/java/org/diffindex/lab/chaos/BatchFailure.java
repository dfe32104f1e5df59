package org.diffindex.lab.chaos;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Finds what the failure of a call says about each of its writes. HBase's client fails a batch with a {@link
 * RetriesExhaustedWithDetailsException} once every write of the batch has ended; the exception lists the writes that
 * failed, each with its own cause, and no others.
 */
final class BatchFailure {
    private BatchFailure() {}

    /**
     * Returns the failure of one write, given that of its call: the write's own cause if the failure lists single
     * writes, otherwise the failure itself. If the failure lists single writes but no cause for this one, nothing is
     * known of this write, and the result is an exception that says so.
     */
    static Throwable of(Throwable failure, Row write) {
        Optional<RetriesExhaustedWithDetailsException> details = details(failure);
        if (details.isEmpty()) {
            return failure;
        }
        int index = indexOf(details.get(), write);
        Throwable own = index < 0 ? null : details.get().getCause(index);
        return own == null ? new IOException("The call failed, and its failure has no cause for this write") : own;
    }

    /**
     * Stores an acknowledgement for each write that a session has acknowledged although the call failed. A session
     * sends its writes in order, in one or more batches, and sends no batch after one that failed. So each write that
     * precedes a listed one was sent, and is acknowledged unless it is listed too; of the writes after the last listed
     * one nothing is known.
     *
     * @param answers receives {@link Result#EMPTY_RESULT} for each write that is known to be acknowledged
     */
    static void acknowledge(Throwable failure, List<? extends Row> writes, Object[] answers) {
        details(failure).ifPresent(details -> {
            int known = writes.size() - 1;
            while (known >= 0 && indexOf(details, writes.get(known)) < 0) {
                known--;
            }
            for (int i = 0; i < known; i++) {
                if (indexOf(details, writes.get(i)) < 0) {
                    answers[i] = Result.EMPTY_RESULT;
                }
            }
        });
    }

    private static Optional<RetriesExhaustedWithDetailsException> details(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof RetriesExhaustedWithDetailsException details && details.getCauses() != null) {
                return Optional.of(details);
            }
        }
        return Optional.empty();
    }

    /** Returns the index of a write of the same row; the client may have sent a copy of the write. Negative if none. */
    private static int indexOf(RetriesExhaustedWithDetailsException details, Row write) {
        for (int i = 0; i < details.getNumExceptions(); i++) {
            if (Bytes.equals(details.getRow(i).getRow(), write.getRow())) {
                return i;
            }
        }
        return -1;
    }
}
