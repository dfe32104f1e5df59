package org.diffindex.client;

import java.io.IOException;
import java.net.SocketTimeoutException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.OperationTimeoutExceededException;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.diffindex.model.IndexUpdateDelayedException;

/**
 * Converts the failure of a batch of one write to the exception that HBase's client throws for a single write: {@code
 * Table.batch} reports every failure in the same type, and without a cause.
 */
final class SingleWriteFailure {
    private SingleWriteFailure() {}

    /**
     * Returns the exception for the failure of a batch of one write. Its stack trace, or that of an exception that it
     * suppresses, leads to the caller of the batch.
     *
     * @return an {@link IndexUpdateDelayedException} if the row is durable and its index will follow; a {@link
     *     DoNotRetryIOException} if the write was refused; a {@link SocketTimeoutException} or a {@link
     *     RetriesExhaustedException} if the last attempt failed otherwise, so that nothing may be known of the write;
     *     the failure of the batch itself if it does not list one write
     */
    static IOException of(RetriesExhaustedWithDetailsException batch) {
        Throwable own = batch.getCauses() == null || batch.getNumExceptions() != 1 ? null : batch.getCause(0);
        if (own == null) {
            return batch;
        }
        if (IndexUpdateDelayedException.isReportedBy(own)) {
            return new IndexUpdateDelayedException(descriptionIn(own), own);
        }
        if (own instanceof OperationTimeoutExceededException) { // of the client, whose attempts may have succeeded
            return (IOException) new SocketTimeoutException(own.getMessage()).initCause(own);
        }
        if (own instanceof DoNotRetryIOException refusal) {
            refusal.addSuppressed(batch);
            return refusal;
        }
        IOException cause = own instanceof IOException io ? io : new IOException(own);
        return new RetriesExhaustedException(batch.getMessage(), cause);
    }

    /** Returns the description of a delay, without the server's stack trace, which HBase puts into the message. */
    private static String descriptionIn(Throwable delay) {
        return String.valueOf(delay.getMessage())
                .lines()
                .filter(line -> line.contains(IndexUpdateDelayedException.DESCRIPTION))
                .map(line -> line.substring(line.indexOf(IndexUpdateDelayedException.DESCRIPTION)))
                .findFirst()
                .orElse(IndexUpdateDelayedException.DESCRIPTION);
    }
}
