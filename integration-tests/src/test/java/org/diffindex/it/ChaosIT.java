package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.diffindex.cli.DiffIndex;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import picocli.CommandLine;

/** All schemes under faults for three minutes, as {@code diffindex chaos} does it for hours. */
@Order(1)
@ResourceLock(ProcessCluster.MACHINE)
@Tag("proof")
class ChaosIT {
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

        int exitCode = command.execute("chaos", "--dir", folder.toString(), "--minutes", "3", "--seed", "134");

        assertThat(exitCode).as(out.toString()).isZero();
        assertThat(out.toString()).contains("\n0 violations;");
        assertThat(Files.readString(folder.resolve("chaos.json")))
                .contains("\"clean\": true", "\"violations\": 0", "\"aborts_not_explained\": 0");
        assertThat(folder.resolve("cluster")).doesNotExist();
    }
}
