package org.diffindex.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.junit.jupiter.api.Test;

class FailuresTest {
    @Test
    void keepsTheMessageOfAnExpectedFailure() {
        assertThat(Failures.message(new IOException("no table t"))).isEqualTo("no table t");
        assertThat(Failures.message(new IllegalArgumentException("no scheme s")))
                .isEqualTo("no scheme s");
    }

    @Test
    void looksInsideWrappers() {
        Exception wrapped = new ExecutionException(new UncheckedIOException(new IOException("no table t")));

        assertThat(Failures.message(wrapped)).isEqualTo("no table t");
    }

    @Test
    void omitsTheServersStackTraceAndClassNames() {
        String fromServer =
                "org.apache.hadoop.hbase.DoNotRetryIOException: java.io.IOException: no table t\n\tat x.Y.z(Y.java)";

        assertThat(Failures.message(new IOException(fromServer))).isEqualTo("no table t");
    }

    @Test
    void describesAFailureOfAFile() {
        assertThat(Failures.message(new NoSuchFileException("a.csv"))).isEqualTo("No such file: a.csv");
        assertThat(Failures.message(new AccessDeniedException("a.csv"))).isEqualTo("Access denied: a.csv");
    }

    @Test
    void describesAFailureOfATable() {
        assertThat(Failures.message(new TableNotFoundException(TableName.valueOf("t"))))
                .isEqualTo("Table not found: t");
        assertThat(Failures.message(new IOException("org.apache.hadoop.hbase.TableNotFoundException: t\n\tat x.Y.z")))
                .isEqualTo("Table not found: t");
    }

    @Test
    void namesTheClassOfAnUnexpectedFailure() {
        assertThat(Failures.message(new NullPointerException()))
                .isEqualTo(
                        "failed with java.lang.NullPointerException; run the command again with --verbose for the stack trace");
    }
}
