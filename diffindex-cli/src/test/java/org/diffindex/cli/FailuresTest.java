package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class FailuresTest {
    @Test
    void keepsTheMessageOfWhatIsExpected() {
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
    void leavesOutTheServersStackTraceAndClassNames() {
        String fromServer =
                "org.apache.hadoop.hbase.DoNotRetryIOException: java.io.IOException: no table t\n\tat x.Y.z(Y.java)";

        assertThat(Failures.message(new IOException(fromServer))).isEqualTo("no table t");
    }

    @Test
    void saysWhatIsWrongWithAFile() {
        assertThat(Failures.message(new NoSuchFileException("a.csv"))).isEqualTo("No such file: a.csv");
        assertThat(Failures.message(new AccessDeniedException("a.csv"))).isEqualTo("Access denied: a.csv");
    }

    @Test
    void saysWhatIsWrongWithATable() {
        assertThat(Failures.message(new TableNotFoundException(TableName.valueOf("t"))))
                .isEqualTo("Table not found: t");
        assertThat(Failures.message(new IOException("org.apache.hadoop.hbase.TableNotFoundException: t\n\tat x.Y.z")))
                .isEqualTo("Table not found: t");
    }

    @Test
    void namesWhatIsNotExpected() {
        assertThat(Failures.message(new NullPointerException()))
                .isEqualTo(
                        "failed with java.lang.NullPointerException; run it again with --verbose for the stack trace");
    }

    @Test
    void anErrorIsOneLineAndExitCodeOne() {
        StringWriter err = new StringWriter();
        CommandLine command = DiffIndex.commandLine().setErr(new PrintWriter(err));
        command.addSubcommand("fail", new Failing());

        assertThat(DiffIndex.run(command, "fail")).isEqualTo(1);
        assertThat(err.toString().lines())
                .containsExactly("diffindex: failed with java.lang.OutOfMemoryError: no heap; run it again with"
                        + " --verbose for the stack trace");
    }

    @Command(name = "fail")
    private static final class Failing implements Runnable {
        @Override
        public void run() {
            throw new OutOfMemoryError("no heap");
        }
    }
}
