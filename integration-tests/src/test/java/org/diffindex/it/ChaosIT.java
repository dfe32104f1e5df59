package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.diffindex.cli.DiffIndex;
import org.diffindex.cluster.Conditions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import picocli.CommandLine;

/**
 * Runs all schemes under faults for three minutes, as {@code diffindex chaos} runs them for hours; at a third of its
 * rate, so that the tests beside it are not starved.
 */
@Order(1)
@ResourceLock(ProcessCluster.MACHINE)
@Tag("proof")
class ChaosIT {
    private static final String RATE = "40";

    @TempDir
    Path dir;

    @RegisterExtension
    final ClusterLogs logs = new ClusterLogs(() -> dir);

    @Test
    void everyAnswerIsAsPromisedUnderFaults() throws IOException {
        Path folder = dir.resolve("chaos");
        StringWriter out = new StringWriter();
        CommandLine command = DiffIndex.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));

        int exitCode =
                command.execute("chaos", "--dir", folder.toString(), "--minutes", "3", "--seed", "134", "--rate", RATE);

        assertThat(exitCode).as(out.toString()).isZero();
        assertThat(out.toString()).contains("\n0 violations;");
        assertThat(Files.readString(folder.resolve("chaos.json")))
                .contains("\"clean\": true", "\"violations\": 0", "\"unexplained\": []");
        assertThat(folder.resolve("cluster")).doesNotExist();
    }

    /** All answers are still as promised. */
    @Test
    @Tag("release")
    void reportsAServerThatNoPlannedFaultEnded() throws Exception {
        Path folder = dir.resolve("chaos");
        StringWriter out = new StringWriter();
        CommandLine command = DiffIndex.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<Integer> run = thread.submit(() -> command.execute(
                    "chaos",
                    "--dir",
                    folder.toString(),
                    "--minutes",
                    "1",
                    "--rate",
                    RATE,
                    "--scheme",
                    "sync-full",
                    "--faults",
                    "flush"));
            assertThat(Conditions.await(Duration.ofMinutes(3), () -> run.isDone() || hasWritten(folder)))
                    .isTrue();
            ProcessStatus victim = LocalCluster.open(folder.resolve("cluster")).status().stream()
                    .filter(process -> process.name().equals("rs2"))
                    .findFirst()
                    .orElseThrow();
            assertThat(ProcessHandle.of(victim.pid().orElseThrow())
                            .orElseThrow()
                            .destroyForcibly())
                    .isTrue();

            assertThat(run.get(8, TimeUnit.MINUTES)).as(out.toString()).isEqualTo(1);
        } finally {
            thread.shutdownNow();
        }
        assertThat(out.toString()).contains("UNEXPLAINED", "rs2 has ended by itself", "NOT AS PROMISED");
    }

    /** Returns whether the clients are working. */
    private static boolean hasWritten(Path folder) throws IOException {
        Path history = folder.resolve("history.jsonl");
        return Files.exists(history) && Files.size(history) > 0;
    }
}
