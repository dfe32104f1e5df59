package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import java.io.IOException;
import java.net.ConnectException;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.diffindex.client.NoSuchIndexException;
import org.diffindex.client.SessionFullException;
import org.diffindex.model.IndexNotLoadedException;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.IndexReplacedException;
import org.diffindex.model.IndexUpdateDelayedException;
import org.junit.jupiter.api.Test;

/** Tests which failures of a valid call are not caused by the faults. */
class BlameTest {
    private final IOException refusal =
            new DoNotRetryIOException("Write refused, nothing was written: the value is no long [row=r]");

    private static IOException inABatch(Throwable cause) {
        return new RetriesExhaustedWithDetailsException(
                List.of(cause), List.of(new Put(new byte[] {1})), List.of("localhost:1"));
    }

    @Test
    void blamesUsForRefusalsAndInternalErrors() {
        assertThat(Blame.isOurs(refusal)).isTrue();
        assertThat(Blame.isOurs(inABatch(refusal))).isTrue();
        assertThat(Blame.isOurs(new IOException(new DoNotRetryIOException(
                        "Diff-Index failed unexpectedly, an internal error; please report it: null"))))
                .isTrue();
        assertThat(Blame.isOurs(new IllegalStateException("?"))).isTrue();
    }

    /** No fault drops, replaces or creates an index, and the clients of a run can load all definitions. */
    @Test
    void blamesUsForAnIndexThatIsMissingOrNotReadable() {
        IOException replaced = new IndexReplacedException("Nothing was read");
        List<IOException> failures = List.of(
                replaced,
                mock(NoSuchIndexException.class),
                mock(IndexNotReadableException.class),
                mock(IndexNotLoadedException.class));
        assertThat(failures).allMatch(Blame::isOurs);
        assertThat(Blame.isOurs(inABatch(replaced))).isTrue();
    }

    /** A session of a run lasts for 200 steps, of a few short rows each. */
    @Test
    void blamesUsForASessionThatIsFull() {
        assertThat(Blame.isOurs(mock(SessionFullException.class))).isTrue();
    }

    @Test
    void blamesTheFaultsForOutagesBackPressureAndDelays() {
        assertThat(Blame.isOurs(new ConnectException())).isFalse();
        assertThat(Blame.isOurs(new RegionTooBusyException("nothing was written, try again later")))
                .isFalse();
        assertThat(Blame.isOurs(new IndexUpdateDelayedException("later"))).isFalse();
    }

    @Test
    void distinguishesARefusalFromAnyOtherFailure() {
        assertThat(Blame.isRefusal(inABatch(refusal))).isTrue();
        assertThat(Blame.isRefusal(new DoNotRetryIOException("no such table"))).isFalse();
    }
}
