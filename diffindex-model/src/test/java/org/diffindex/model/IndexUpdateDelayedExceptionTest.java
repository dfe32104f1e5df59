package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.junit.jupiter.api.Test;

class IndexUpdateDelayedExceptionTest {
    private final Throwable delay = new DoNotRetryIOException(IndexUpdateDelayedException.DESCRIPTION + " [row=r]");
    private final Throwable refusal = new DoNotRetryIOException("Write refused, nothing was written");

    private static RetriesExhaustedWithDetailsException batch(Throwable... failures) {
        return new RetriesExhaustedWithDetailsException(
                List.of(failures),
                Collections.nCopies(failures.length, new Put(new byte[] {1})),
                Collections.nCopies(failures.length, "localhost:1"));
    }

    @Test
    void isReportedByTheFailureOfOneWriteAndItsCauses() {
        assertThat(IndexUpdateDelayedException.isReportedBy(delay)).isTrue();
        assertThat(IndexUpdateDelayedException.isReportedBy(new IOException("failed", delay)))
                .isTrue();
        assertThat(IndexUpdateDelayedException.isReportedBy(new IndexUpdateDelayedException("late")))
                .isTrue();
        assertThat(IndexUpdateDelayedException.isReportedBy(refusal)).isFalse();
        assertThat(IndexUpdateDelayedException.isReportedBy(new IOException(delay.getMessage())))
                .isFalse();
    }

    @Test
    void isReportedByTheFailureOfABatchOnlyIfNoWriteFailedOtherwise() {
        assertThat(IndexUpdateDelayedException.isReportedBy(batch(delay))).isTrue();
        assertThat(IndexUpdateDelayedException.isReportedBy(new IOException(batch(delay, delay))))
                .isTrue();
        assertThat(IndexUpdateDelayedException.isReportedBy(batch(delay, refusal)))
                .isFalse();
        assertThat(IndexUpdateDelayedException.isReportedBy(batch())).isFalse();
        assertThat(IndexUpdateDelayedException.isReportedBy(new RetriesExhaustedWithDetailsException("failed")))
                .isFalse();
    }
}
