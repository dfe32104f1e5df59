package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.diffindex.model.IndexUpdateDelayedException;
import org.junit.jupiter.api.Test;

/** Tests what a failure says about a write. */
class OutcomeTest {
    private static final Put PUT = new Put(new byte[] {1});

    private static Throwable inABatch(Throwable cause) {
        return BatchFailure.of(
                new RetriesExhaustedWithDetailsException(List.of(cause), List.of(PUT), List.of("localhost:1")), PUT);
    }

    @Test
    void knowsThatTheBaseRowIsDurableWhenOnlyTheIndexIsLate() {
        IOException delayed = new IndexUpdateDelayedException("later");

        assertThat(Outcome.of(delayed)).isEqualTo(Outcome.DELAYED);
        assertThat(Outcome.of(new IOException(delayed))).isEqualTo(Outcome.DELAYED);
        assertThat(Outcome.of(inABatch(delayed))).isEqualTo(Outcome.DELAYED);
    }

    @Test
    void recognizesARefusal() {
        assertThat(Outcome.of(inABatch(new RegionTooBusyException("full")))).isEqualTo(Outcome.REFUSED);
        assertThat(Outcome.of(new DoNotRetryIOException("no"))).isEqualTo(Outcome.REFUSED);
    }

    @Test
    void isUnknownForAWriteWithoutAnAnswer() {
        assertThat(Outcome.of(inABatch(new ConnectException()))).isEqualTo(Outcome.UNKNOWN);
        assertThat(Outcome.UNKNOWN.isDurable()).isFalse();
    }
}
