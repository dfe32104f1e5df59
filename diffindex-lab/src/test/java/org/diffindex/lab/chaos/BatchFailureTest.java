package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexUpdateDelayedException;
import org.junit.jupiter.api.Test;

/** Tests what the failure of a call with several writes says about each of them. */
class BatchFailureTest {
    private final IOException delay = new IndexUpdateDelayedException("later");
    private final IOException busy = new RegionTooBusyException("try again later");

    private static Put put(String row) {
        return new Put(Bytes.toBytes(row));
    }

    private static List<Put> puts(String... rows) {
        return Stream.of(rows).map(BatchFailureTest::put).toList();
    }

    /** Returns a failure that lists writes of two rows, which are copies of those that the caller passed. */
    private IOException failure(String delayed, String refused) {
        List<Row> rows = List.of(put(delayed), put(refused));
        return new RetriesExhaustedWithDetailsException(List.of(delay, busy), rows, List.of("rs1:1", "rs2:1"));
    }

    private static Object[] acknowledged(Throwable failure, String... rows) {
        Object[] answers = new Object[rows.length];
        BatchFailure.acknowledge(failure, puts(rows), answers);
        return answers;
    }

    @Test
    void eachWriteHasItsOwnCause() {
        IOException failure = failure("a", "b");
        assertThat(BatchFailure.of(failure, put("a"))).isSameAs(delay);
        assertThat(BatchFailure.of(failure, put("b"))).isSameAs(busy);
        assertThat(BatchFailure.of(new IOException(failure), put("b"))).isSameAs(busy);
    }

    @Test
    void nothingIsKnownOfAWriteThatTheFailureDoesNotList() {
        Throwable other = BatchFailure.of(failure("a", "b"), put("c"));
        assertThat(Outcome.of(other)).isEqualTo(Outcome.UNKNOWN);
        assertThat(Blame.isOurs(other)).isFalse();
        IOException silent = new RetriesExhaustedWithDetailsException(
                Collections.singletonList(null), List.of(put("a")), List.of("rs1:1"));
        assertThat(Outcome.of(BatchFailure.of(silent, put("a")))).isEqualTo(Outcome.UNKNOWN);
    }

    @Test
    void aFailureWithoutSingleWritesConcernsAllOfThem() {
        IOException all = new ConnectException("away");
        assertThat(BatchFailure.of(all, put("a"))).isSameAs(all);
        IOException empty = new RetriesExhaustedWithDetailsException("none is listed");
        assertThat(BatchFailure.of(empty, put("a"))).isSameAs(empty);
        assertThat(acknowledged(all, "a", "b")).containsOnlyNulls();
    }

    /** A session sends no batch after one that failed. */
    @Test
    void writesBeforeAFailedOneAreAcknowledgedAndOfThoseAfterTheLastNothingIsKnown() {
        Result ok = Result.EMPTY_RESULT;
        assertThat(acknowledged(failure("b", "d"), "a", "b", "c", "d", "e")).containsExactly(ok, null, ok, null, null);
        assertThat(acknowledged(failure("d", "b"), "a", "b", "c", "d", "e")).containsExactly(ok, null, ok, null, null);
        assertThat(acknowledged(failure("x", "y"), "a", "b")).containsOnlyNulls();
    }
}
