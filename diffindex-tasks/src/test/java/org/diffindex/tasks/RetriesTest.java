package org.diffindex.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.PleaseHoldException;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.client.OperationTimeoutExceededException;
import org.apache.hadoop.hbase.exceptions.UnknownProtocolException;
import org.junit.jupiter.api.Test;

/** Tests which failures of a call are retried, and for how long, with a clock that the backoffs advance. */
class RetriesTest {
    private long retryMs = TimeUnit.MINUTES.toMillis(10);
    private final Queue<IOException> failures = new ArrayDeque<>();
    private final Queue<IOException> lookFailures = new ArrayDeque<>();
    private final List<String> reported = new ArrayList<>();
    private long nowMs;
    private int calls;

    @Test
    void retriesATransientFailure() throws IOException {
        failures.addAll(List.of(
                new NotServingRegionException("moved"),
                new SocketTimeoutException("slow"),
                new IOException("recovered", new SocketTimeoutException())));
        assertThat(retries().get(this::call)).isEqualTo("filled");
        assertThat(calls).isEqualTo(4);
        assertThat(nowMs).isEqualTo(500 + 1_000 + 2_000);
        assertThat(reported).containsExactly("moved", "slow", "recovered");
    }

    @Test
    void retriesWhileATableIsDisabled() throws IOException {
        failures.add(new TableNotEnabledException("t"));
        assertThat(retries().get(this::call)).isEqualTo("filled");
    }

    /** HBase's client says so of a batch when a server was away for longer than one call may take. */
    @Test
    void retriesWhatOneCallHadNoTimeFor() throws IOException {
        failures.add(new OperationTimeoutExceededException("Backoff time of 10002ms would exceed operation timeout"));
        assertThat(retries().get(this::call)).isEqualTo("filled");
    }

    @Test
    void givesUpAtOnceOnAPermanentFailure() {
        failures.add(new DoNotRetryIOException("no such index"));
        assertThatThrownBy(() -> retries().get(this::call)).hasMessage("no such index");
        assertThat(nowMs).isZero();
        failures.add(new InterruptedIOException("another region failed"));
        assertThatThrownBy(() -> retries().get(this::call)).isInstanceOf(InterruptedIOException.class);
        assertThat(nowMs).isZero();
    }

    @Test
    void givesUpWhenACallHasFailedForTooLong() {
        retryMs = 60_000;
        for (int i = 0; i < 100; i++) {
            failures.add(new IOException("failure " + i));
        }
        assertThatThrownBy(() -> retries().get(this::call)).hasMessage("failure " + (calls - 1));
        assertThat(nowMs).isBetween(50_000L, 60_000L);
    }

    @Test
    void givesUpWhenTheIndexIsDroppedMeanwhile() {
        failures.add(new IOException("not defined"));
        lookFailures.add(new DoNotRetryIOException("removed"));
        assertThatThrownBy(() -> retries().get(this::call)).hasMessage("removed");
        assertThat(calls).isEqualTo(1);
    }

    @Test
    void anUnavailableMasterDecidesNothing() throws IOException {
        failures.add(new IOException("not defined"));
        lookFailures.add(new PleaseHoldException("starting"));
        assertThat(retries().get(this::call)).isEqualTo("filled");
    }

    /** The region loads its coprocessor when it is opened with the new descriptor. */
    @Test
    void recognizesARegionNotYetOpenedWithTheIndex() {
        assertThat(Retries.isFinal(new UnknownProtocolException("No registered service")))
                .isFalse();
        assertThat(Retries.isFinal(new DoNotRetryIOException("no"))).isTrue();
    }

    private Retries retries() {
        return new Retries(
                retryMs,
                () -> fail(lookFailures),
                reported::add,
                () -> TimeUnit.MILLISECONDS.toNanos(nowMs),
                millis -> nowMs += millis);
    }

    private String call() throws IOException {
        calls++;
        fail(failures);
        return "filled";
    }

    private static void fail(Queue<IOException> failures) throws IOException {
        IOException failure = failures.poll();
        if (failure != null) {
            throw failure;
        }
    }
}
